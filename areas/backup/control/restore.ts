import type { Storage } from "@reeve/control/storage";
import { Fault } from "@reeve/model";
import type { Database, Migration } from "@reeve/store";
import { occupantOf } from "../store/index.ts";
import { Damaged } from "./damaged.ts";
import { listBackups, type Manifest, readManifest } from "./manifest.ts";
import { refill } from "./refill.ts";

export interface Restoring {
  readonly database: Database;
  readonly storage: Storage;
  /** Which backup of the storage. */
  readonly name: string;
  readonly identities: readonly string[];
  /** All that this version knows. */
  readonly migrations: readonly Migration[];
  /** The last word before anything is touched, once it is known what the backup is of. */
  readonly check: (manifest: Manifest) => Promise<void>;
  readonly onProgress: (words: string) => void;
}

/**
 * Brings an installation back, into a database that holds none. All of it is one transaction: killed on the way, the database
 * is as empty as before, and the same command begins again.
 */
export async function restore(restoring: Restoring): Promise<Manifest> {
  const { database, storage, name, migrations } = restoring;
  const manifest = await findManifest(storage, name);
  await restoring.check(manifest);
  const connection = await database.apart();
  try {
    const occupant = await occupantOf(connection, migrations);
    if (occupant !== "nobody") throw occupied(occupant);
    const target = await refill(connection, {
      ...restoring,
      manifest,
      onProgress: async (words) => restoring.onProgress(words),
    });
    await target.newTimeline(manifest.takenAt);
    await target.commit();
  } catch (error) {
    if (error instanceof Damaged)
      throw new Fault("precondition", `the backup ${name} cannot be restored: ${error.message}`, {
        next: "nothing was changed; try another backup or identity",
      });
    throw error;
  } finally {
    await connection.close();
  }
  return manifest;
}

async function findManifest(storage: Storage, name: string): Promise<Manifest> {
  const manifest = await readManifest(storage, name);
  if (manifest !== undefined) return manifest;
  const others = await listBackups(storage);
  throw new Fault("not_found", `there is no whole backup ${name} in ${storage.shown}`, {
    next: others.length === 0 ? "it holds none at all" : `it holds ${others.join(", ")}`,
  });
}

function occupied(occupant: "installation" | "stranger"): Fault {
  return occupant === "installation"
    ? new Fault("precondition", "there is an installation in this database already", {
        next: "restore into an empty one: another REEVE_DATA, or another REEVE_DATABASE_URL",
      })
    : new Fault("precondition", "this database has tables of another program", {
        next: "give Reeve a database of its own",
      });
}
