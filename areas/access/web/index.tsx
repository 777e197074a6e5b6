import type { WebArea } from "@reeve/kit";

export const accessWeb: WebArea = {
  name: "access",
  navigation: [],
  pages: [],
};
