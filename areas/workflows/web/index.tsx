import type { WebArea } from "@reeve/kit";

export const workflowsWeb: WebArea = {
  name: "workflows",
  navigation: [],
  pages: [],
};
