import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newSecret } from "@reeve/access/control";
import {
  type Database,
  foundInstallation,
  type Installation,
  readInstallation,
  renewSetup,
} from "@reeve/store";
import { ConfigError } from "./config.ts";

/**
 * The first administrator is made once. The data folder remembers which installation it belongs to, so that a database
 * that is unexpectedly empty is noticed and not taken for a first start: nobody gets a new setup link by losing data.
 */
export interface Found {
  readonly installation: Installation;
  /** The token of the one-time setup link, only at the very first start. */
  readonly setupToken: string | undefined;
}

export async function findInstallation(
  database: Database,
  dataFolder: string,
  bootstrap: boolean,
): Promise<Found> {
  const remembered = belongsTo(dataFolder);
  const installation = await readInstallation(database);
  if (installation !== undefined) {
    if (remembered !== undefined && remembered !== installation.uid && !bootstrap)
      throw new ConfigError(
        `the data folder ${dataFolder} belongs to the installation ${remembered}, the database to ${installation.uid}. Point REEVE_DATABASE_URL or REEVE_DATA to the right one, or start once with --bootstrap to use this folder with this database`,
      );
    if (remembered !== installation.uid) writeMarker(dataFolder, installation.uid);
    return { installation, setupToken: undefined };
  }
  if (remembered !== undefined && !bootstrap)
    throw new ConfigError(
      `the database is empty, but the data folder ${dataFolder} belongs to the installation ${remembered}. If its database was lost, restore a backup of it; to begin a new, empty installation here, start once with --bootstrap`,
    );
  const secret = newSecret("setup");
  const founded = await foundInstallation(database, secret.hash);
  if (founded === undefined) return findInstallation(database, dataFolder, bootstrap);
  writeMarker(dataFolder, founded.uid);
  return { installation: founded, setupToken: secret.text };
}

/** A new link in the place of the first one, for whoever lost it before using it. */
export async function newSetupToken(database: Database): Promise<string> {
  const secret = newSecret("setup");
  if (await renewSetup(database, secret.hash)) return secret.text;
  throw new ConfigError("this installation has been set up already: sign in as its administrator");
}

/** The installation that a data folder remembers. */
export function belongsTo(dataFolder: string): string | undefined {
  const file = join(dataFolder, "installation.json");
  if (!existsSync(file)) return undefined;
  try {
    const { uid } = JSON.parse(readFileSync(file, "utf8")) as { uid: unknown };
    if (typeof uid === "string") return uid;
  } catch {
    // Falls through: an unreadable file is an error, never "no file".
  }
  throw new ConfigError(
    `${file} cannot be read: restore it, or start once with --bootstrap after removing it`,
  );
}

function writeMarker(dataFolder: string, uid: string): void {
  mkdirSync(dataFolder, { recursive: true });
  writeFileSync(join(dataFolder, "installation.json"), `${JSON.stringify({ uid })}\n`, { mode: 0o600 });
}
