import type { ActionHandler, Controller, OpenSecrets } from "@reeve/control";
import { followRepository } from "./follow.ts";
import type { Mirrors } from "./mirrors.ts";
import { writeTo } from "./write.ts";

export function repositoryController(mirrors: Mirrors, openSecrets: OpenSecrets): Controller {
  return {
    kind: "Repository",
    actions: { fetch: askNow, write: writeTo(mirrors, openSecrets) },
    reconcile: followRepository(mirrors, openSecrets),
  };
}

/** As a push would. */
const askNow: ActionHandler = async () => ({
  change: (now) => ({ ...now, status: { ...now.status, pushedAt: new Date().toISOString() } }),
  output: () => ({}),
});
