import { join } from "node:path";
import {
  type Keyring,
  openKeys,
  openRoots,
  proveSealing,
  type RootPlace,
  rootEnvironment,
  rootFile,
  rootVault,
} from "@reeve/keys";
import type { Database } from "@reeve/store";
import type { Config } from "./config.ts";

/** The keys of this installation, proven; or no server. */
export async function readKeys(config: Config, database: Database): Promise<Keyring> {
  const keys = openKeys(database, await openRoots(database, rootPlaces(config)));
  await proveSealing(database, keys);
  return keys;
}

/** Why a backup that needs these root keys would be of no use here; undefined when all are there. */
export async function missingRoots(config: Config, needed: readonly string[]): Promise<string | undefined> {
  const places = rootPlaces(config);
  const held = (await Promise.all(places.map((place) => place.keys()))).flat().map((key) => key.id);
  const missing = needed.filter((id) => !held.includes(id));
  if (missing.length === 0) return undefined;
  return `the backup needs the root key ${missing.join(", ")}, and ${held.length === 0 ? "there is none" : `only ${held.join(", ")} is`} in ${places.map(({ where }) => where).join(", ")}. Nothing sealed could be read without it: bring it from where you keep a copy`;
}

/** Where root keys are looked for. New ones are made in the first place; the file stays, for what a former setting has closed. */
function rootPlaces(config: Config): [RootPlace, ...RootPlace[]] {
  const file = rootFile(config.rootKeyFile ?? join(config.dataFolder, "root.key"));
  const before = config.rootKey === undefined ? [] : [rootEnvironment(config.rootKey)];
  const [first = file, ...others] = [...vaultOf(config), ...before, file];
  return [first, ...others];
}

function vaultOf(config: Config): RootPlace[] {
  const { rootKeyVaultAddress: address, rootKeyVaultMount: mount, rootKeyVaultKey: key } = config;
  if (address === undefined) return [];
  const file = config.rootKeyVaultTokenFile;
  const token = file === undefined ? { text: config.rootKeyVaultToken ?? "" } : { file };
  return [rootVault({ address, mount, key, token })];
}
