import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeLasting } from "../lasting.ts";
import type { Wanted } from "./keeper.ts";

/** What is to be kept of one resource; on disk before anything is touched, so that a restart without a control plane knows it. */
export interface Desired {
  readonly kind: string;
  readonly uid: string;
  /** The generation that drift is repaired to. */
  readonly settled?: Wanted;
  /** One that has yet to prove itself. */
  readonly trial?: Trial;
}

interface Trial {
  readonly wanted: Wanted;
  /** When the generation before was first touched for it. */
  readonly since: number;
  /** After this, without anybody who waits for it, the generation before is kept again. */
  readonly until: number;
}

export interface DesiredFiles {
  all(): Promise<Desired[]>;
  write(desired: Desired): Promise<void>;
  remove(uid: string): Promise<void>;
}

/**
 * One file a resource, encrypted: specs hold the values of secrets. The key lies beside them, which protects copies of the
 * files, such as a backup that leaves it out, and not against whoever is root here.
 */
export async function openDesired(folder: string): Promise<DesiredFiles> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const key = await keyIn(folder);
  const fileOf = (uid: string) => join(folder, `${uid}.kept`);
  return {
    async all() {
      const names = (await readdir(folder)).filter((name) => name.endsWith(".kept"));
      return Promise.all(
        names.map(async (name) => {
          const uid = name.slice(0, -".kept".length);
          return JSON.parse(opened(key, uid, await readFile(fileOf(uid)))) as Desired;
        }),
      );
    },
    write: (desired) => writeLasting(fileOf(desired.uid), sealed(key, desired.uid, JSON.stringify(desired))),
    remove: (uid) => rm(fileOf(uid), { force: true }),
  };
}

async function keyIn(folder: string): Promise<Buffer> {
  const file = join(folder, "key");
  try {
    return await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const key = randomBytes(32);
  await writeLasting(file, key);
  return key;
}

function sealed(key: Buffer, uid: string, text: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(uid));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function opened(key: Buffer, uid: string, content: Buffer): string {
  const decipher = createDecipheriv("aes-256-gcm", key, content.subarray(0, 12)).setAAD(Buffer.from(uid));
  decipher.setAuthTag(content.subarray(12, 28));
  return Buffer.concat([decipher.update(content.subarray(28)), decipher.final()]).toString("utf8");
}
