import { text } from "node:stream/consumers";
import type { Storage } from "@reeve/control/storage";
import type { Sql } from "@reeve/store";
import { z } from "zod";
import { lastStored } from "../store/index.ts";
import { Damaged } from "./damaged.ts";

/**
 * What a backup holds, readable without its key and free of secrets. It is written last: a backup without a manifest is not one,
 * so a server that is killed on the way leaves nothing that looks whole.
 */
const manifest = z.object({
  format: z.literal(1),
  /** The uid of the resource it belongs to: a name may be used again. */
  backup: z.string(),
  version: z.string().describe("of Reeve"),
  takenAt: z.string(),
  installation: z.string(),
  timeline: z.string(),
  revision: z.number(),
  recipients: z.array(z.string()),
  /** Ids of the root keys without which sealed values stay closed. */
  rootKeys: z.array(z.string()),
  auditHeads: z.array(z.object({ organization: z.string(), revision: z.number(), hash: z.string() })),
  migrations: z.array(z.object({ room: z.string(), number: z.number(), name: z.string(), hash: z.string() })),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.number(),
      part: z.string().regex(/^[a-z0-9][a-z0-9_./-]*$/),
      bytes: z.number(),
      sha256: z.string(),
    }),
  ),
});

export type Manifest = z.infer<typeof manifest>;
export type Part = Manifest["tables"][number];

const pathOf = (folder: string) => `${folder}/manifest.json`;

/** Before work with a storage: it must be the one that has the backups which are known. */
export function prepareStorage(storage: Storage, sql: Sql): Promise<void> {
  return storage.prepare(async () => {
    const last = await lastStored(sql);
    return last === undefined ? undefined : pathOf(last);
  });
}

export async function writeManifest(storage: Storage, folder: string, content: Manifest): Promise<void> {
  await storage.put(pathOf(folder), only(`${JSON.stringify(content, null, 2)}\n`));
}

/** Undefined when there is no whole backup in this folder. */
export async function readManifest(storage: Storage, folder: string): Promise<Manifest | undefined> {
  const stored = await storage.get(pathOf(folder));
  if (stored === undefined) return undefined;
  const parsed = manifest.safeParse(parseJson(await text(stored)));
  if (parsed.success) return parsed.data;
  throw new Damaged(
    `its manifest cannot be read: ${z.prettifyError(parsed.error)}; a newer version of Reeve may have written it`,
  );
}

/** The whole backups of a storage, by their folders. */
export async function listBackups(storage: Storage): Promise<string[]> {
  const ending = "/manifest.json";
  return (await storage.list(""))
    .filter((path) => path.endsWith(ending))
    .map((path) => path.slice(0, -ending.length));
}

async function* only(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content);
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
