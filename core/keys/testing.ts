import { randomBytes } from "node:crypto";
import type { Database } from "@reeve/store";
import { type Keys, openKeys } from "./keys.ts";
import { openRing } from "./ring.ts";
import { rootEnvironment } from "./root-environment.ts";

/** Keys under a root key of this test's own. */
export async function testKeys(database: Database): Promise<Keys> {
  const place = rootEnvironment(randomBytes(32).toString("base64"));
  return openKeys(database, await openRing(database, [place]));
}
