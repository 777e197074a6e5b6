import type { WebArea } from "@reeve/kit";

export const hostsWeb: WebArea = {
  name: "hosts",
  navigation: [],
  pages: [],
};
