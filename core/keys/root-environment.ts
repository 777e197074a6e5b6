import { Fault } from "@reeve/model";
import { parseKeys, type RootPlace } from "./root.ts";

/** Keys in the environment, separated by commas, the newest last. */
export function rootEnvironment(text: string): RootPlace {
  const where = "the environment (REEVE_ROOT_KEY)";
  const keys = parseKeys(text, ",", where);
  return {
    where,
    seenByAll: false,
    keys: async () => keys,
    async make() {
      throw new Fault("precondition", "the server cannot change its own environment", {
        next: "append a new key to REEVE_ROOT_KEY after a comma (`openssl rand -base64 32` makes one), restart every replica, then rotate again",
      });
    },
  };
}
