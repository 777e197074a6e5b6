import { join } from "node:path";
import { type Keys, openKeys, openRing, proveSealing, rootEnvironment, rootFile } from "@reeve/keys";
import type { Database } from "@reeve/store";
import type { Config } from "./config.ts";

/** The keys of this installation, proven; or no server. */
export async function readKeys(config: Config, database: Database): Promise<Keys> {
  const file = rootFile(config.rootKeyFile ?? join(config.dataFolder, "root.key"));
  const ring = await openRing(
    database,
    config.rootKey === undefined ? [file] : [rootEnvironment(config.rootKey), file],
  );
  const keys = openKeys(database, ring);
  await proveSealing(database, keys);
  return keys;
}
