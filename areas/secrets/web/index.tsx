import type { WebArea } from "@reeve/kit";

export const secretsWeb: WebArea = {
  name: "secrets",
  navigation: [],
  pages: [],
};
