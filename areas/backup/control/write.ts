import type { Storage } from "@reeve/control/storage";
import { newUid } from "@reeve/model";
import type { Database } from "@reeve/store";
import { shownSize } from "../kinds/index.ts";
import { openSnapshot, type Snapshot, type Table } from "../store/index.ts";
import { seal } from "./envelope.ts";
import { type Manifest, type Part, writeManifest } from "./manifest.ts";

export interface Writing {
  readonly database: Database;
  readonly storage: Storage;
  readonly recipients: readonly string[];
  /** Its name and uid. */
  readonly name: string;
  readonly uid: string;
  readonly version: string;
  /** Told as it goes; what it throws ends the work. */
  readonly onProgress: (words: string) => Promise<void>;
}

/**
 * Writes all tables as they are at one moment, one part each, and the manifest at the end. Each attempt has a folder of its
 * own, so that one who does not know that it has been replaced spoils nothing.
 */
export async function writeBackup(writing: Writing): Promise<Manifest> {
  const { storage, name } = writing;
  await storage.clear(name);
  const attempt = `${name}/${newUid()}`;
  const snapshot = await openSnapshot(writing.database);
  try {
    const tables: Part[] = [];
    for (const table of snapshot.tables) tables.push(await writePart(writing, snapshot, table, attempt));
    const manifest = describe(writing, snapshot, tables);
    await writeManifest(storage, name, manifest);
    return manifest;
  } finally {
    await snapshot.close();
  }
}

async function writePart(
  { storage, recipients, onProgress }: Writing,
  snapshot: Snapshot,
  table: Table,
  attempt: string,
): Promise<Part> {
  const part = `${attempt}/${table.name}.copy.zst.age`;
  const { stream, rows } = snapshot.read(table);
  const words = `writing ${table.name}, table ${snapshot.tables.indexOf(table) + 1} of ${snapshot.tables.length}`;
  const onBytes = (bytes: number) => onProgress(`${words}, ${shownSize(bytes)}`);
  const { content, passed } = await seal(stream, recipients, onBytes);
  await storage.put(part, content);
  return { ...table, columns: [...table.columns], rows: await rows(), part, ...passed() };
}

function describe({ uid, version, recipients }: Writing, snapshot: Snapshot, tables: Part[]): Manifest {
  const { takenAt, installation, revision, migrations } = snapshot;
  return {
    format: 1,
    backup: uid,
    version,
    takenAt,
    installation: installation.uid,
    timeline: installation.timeline,
    revision,
    recipients: [...recipients],
    rootKeys: [...snapshot.rootKeys],
    auditHeads: [...snapshot.auditHeads],
    migrations: [...migrations],
    tables,
  };
}
