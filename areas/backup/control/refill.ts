import { pipeline } from "node:stream/promises";
import type { Storage } from "@reeve/control/storage";
import { Fault } from "@reeve/model";
import type { Connection, Migration } from "@reeve/store";
import { beginRefill, type Refill } from "../store/index.ts";
import { Damaged } from "./damaged.ts";
import { unseal } from "./envelope.ts";
import type { Manifest, Part } from "./manifest.ts";

export interface Refilling {
  readonly storage: Storage;
  readonly manifest: Manifest;
  readonly identities: readonly string[];
  /** All that this version knows. */
  readonly migrations: readonly Migration[];
  readonly onProgress: (words: string) => Promise<void>;
}

/** Fills an empty database from a backup, checking every part on the way. The caller commits, or lets it go. */
export async function refill(connection: Connection, refilling: Refilling): Promise<Refill> {
  const { manifest, migrations, onProgress } = refilling;
  const target = await beginRefill(connection, migrations, migrationsOf(manifest, migrations));
  for (const [index, part] of manifest.tables.entries()) {
    const words = `restoring ${part.name}, table ${index + 1} of ${manifest.tables.length}`;
    await refillTable(target, part, refilling, () => onProgress(words));
  }
  return target;
}

async function refillTable(
  target: Refill,
  part: Part,
  { storage, identities }: Refilling,
  onBytes: () => Promise<void>,
): Promise<void> {
  const stored = await storage.get(part.part);
  if (stored === undefined) throw new Damaged(`the part ${part.part} is missing`);
  const { rows, passed } = await unseal(stored, identities, onBytes);
  await pipeline(rows, await target.write(part)).catch((error: unknown) => {
    throw brokenPart(part, error);
  });
  checkPart(part, passed());
  const count = await target.count(part);
  if (count !== part.rows) throw new Damaged(`${part.name} has ${count} rows instead of ${part.rows}`);
}

export function checkPart(part: Part, passed: { bytes: number; sha256: string }): void {
  if (passed.sha256 !== part.sha256)
    throw new Damaged(`the part ${part.part} is not what was written: its digest differs`);
}

/** Storage and database have errors with a code of their own; what is left comes from unpacking. */
function brokenPart(part: Part, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const unpacking = !(error instanceof Fault) && (code === "" || /^(Z|ERR_)/.test(code));
  if (!unpacking) return error;
  return new Damaged(`the part ${part.part} cannot be unpacked: ${(error as Error).message}`);
}

/** The migrations that the backup was made under, in the form this version has them. */
function migrationsOf(manifest: Manifest, known: readonly Migration[]): Migration[] {
  return manifest.migrations.map((one) => {
    const ours = known.find(({ room, number }) => room === one.room && number === one.number);
    if (ours?.hash === one.hash) return ours;
    throw new Fault(
      "precondition",
      ours === undefined
        ? `the backup has migration ${one.room}/${one.name}, which this version of Reeve does not know`
        : `the backup has migration ${one.room}/${one.name} in another form than this version of Reeve`,
      { next: `use version ${manifest.version} of Reeve or a later one` },
    );
  });
}
