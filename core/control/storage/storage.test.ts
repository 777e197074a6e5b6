import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { folderStorage } from "./folder.ts";
import { s3Storage } from "./s3.ts";
import type { Storage } from "./storage.ts";
import { s3Key, startTestS3, type TestS3 } from "./testing-s3.ts";

const partBytes = 5 * 1024 * 1024;

async function bucket(changed = {}): Promise<{ storage: Storage; s3: TestS3 }> {
  const s3 = await startTestS3();
  onTestFinished(() => s3.close());
  const prefix = "reeve backups/über";
  return {
    s3,
    storage: s3Storage({
      settings: "REEVE_BACKUP",
      endpoint: s3.url,
      prefix,
      partBytes,
      ...s3Key,
      ...changed,
    }),
  };
}

const nothing = async () => undefined;

/** In use for the first time; the folder around it stands for where it is mounted. */
async function folder(): Promise<{ storage: Storage; path: string }> {
  const around = mkdtempSync(join(tmpdir(), "reeve-storage-"));
  onTestFinished(() => rmSync(around, { recursive: true, force: true }));
  const path = join(around, "mounted", "storage");
  const storage = folderStorage(path);
  await storage.prepare(nothing);
  return { path, storage };
}

const places: [string, () => Promise<Storage>][] = [
  ["a folder", async () => (await folder()).storage],
  ["a bucket", async () => (await bucket()).storage],
];

test.each(places)("%s gives back what was put, lists it, and clears only what is below", async (_, open) => {
  const storage = await open();
  const large = randomBytes(2 * partBytes + 12_345);
  const contents = { "a/1/large": large, "a/empty": Buffer.alloc(0), "ab/small": Buffer.from("x") };
  for (const [path, content] of Object.entries(contents)) await storage.put(path, inChunks(content));
  expect((await storage.list("")).sort()).toEqual(["a/1/large", "a/empty", "ab/small"]);
  for (const [path, content] of Object.entries(contents)) {
    const stored = await storage.get(path);
    expect(stored && (await buffer(stored)).equals(content), path).toBe(true);
  }
  expect(await storage.get("a/nothing")).toBeUndefined();
  await storage.clear("a");
  expect(await storage.list("")).toEqual(["ab/small"]);
});

test.each(places)("%s shows nothing of what its writer could not finish", async (_, open) => {
  const storage = await open();
  const failing = async function* () {
    yield randomBytes(partBytes + 1);
    yield randomBytes(partBytes);
    throw new Error("the rows ended early");
  };
  await expect(storage.put("a/part", failing())).rejects.toThrow("the rows ended early");
  expect(await storage.list("")).toEqual([]);
  expect(await storage.get("a/part")).toBeUndefined();
});

test("an upload that a killed server left is aborted by clearing", async () => {
  const { storage, s3 } = await bucket();
  s3.uploads.set("left", { key: "reeve backups/über/a/1/part", parts: new Map() });
  s3.uploads.set("other", { key: "elsewhere/part", parts: new Map() });
  await storage.clear("a");
  expect([...s3.uploads.keys()]).toEqual(["other"]);
});

test("an object of exactly one part is complete, and large ones go in parts", async () => {
  const { storage, s3 } = await bucket();
  await storage.put("exact", inChunks(Buffer.alloc(partBytes, 1)));
  expect((await buffer((await storage.get("exact")) as never)).length).toBe(partBytes);
  expect(s3.uploads.size).toBe(0);
  expect(s3.seen.filter((one) => one.includes("partNumber")).length).toBe(1);
});

test("a storage that is busy is asked again; one that refuses is quoted, without the key", async () => {
  const { storage, s3 } = await bucket();
  s3.failNext = 3;
  await storage.put("small", inChunks(Buffer.from("x")));
  expect(await storage.list("")).toEqual(["small"]);
  const { storage: wrong } = await bucket({ secret: "another secret" });
  const refusal = await wrong.put("small", inChunks(Buffer.from("x"))).catch((error: Error) => error);
  expect(String(refusal)).toContain("SignatureDoesNotMatch");
  expect(JSON.stringify(refusal) + String(refusal)).not.toContain("another secret");
  const { storage: lost } = await bucket({ bucket: "nowhere" });
  await expect(lost.get("small")).rejects.toThrow("NoSuchBucket");
  const { storage: away, s3: gone } = await bucket();
  await gone.close();
  await expect(away.list("")).rejects.toThrow("cannot be reached");
});

test("a folder keeps its files from others on the machine", async () => {
  const { storage, path } = await folder();
  await storage.put("a/one", inChunks(Buffer.from("x")));
  expect(readdirSync(path)).toEqual([".reeve-storage", "a"]);
  expect(statSync(join(path, "a")).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "a", "one")).mode & 0o777).toBe(0o600);
});

test.each([
  ["missing", () => {}],
  ["an empty mount point", (path: string) => void mkdirSync(path)],
])(
  "a folder that was used and is %s is away: nothing is read as missing, and nothing is written there",
  async (_, leave) => {
    const { storage, path } = await folder();
    await storage.put("a/one", inChunks(Buffer.from("x")));
    renameSync(path, `${path}-away`);
    leave(path);
    const written = async () => "a/one";
    const away = { kind: "unavailable", next: expect.stringContaining("mount it") };
    await expect(storage.get("a/one")).rejects.toMatchObject(away);
    await expect(storage.list("")).rejects.toMatchObject(away);
    await expect(storage.put("a/two", inChunks(Buffer.from("x")))).rejects.toMatchObject(away);
    await expect(storage.prepare(written)).rejects.toMatchObject(away);
    expect(existsSync(path) ? readdirSync(path) : []).toEqual([]);
    rmSync(path, { recursive: true, force: true });
    renameSync(`${path}-away`, path);
    await storage.prepare(written);
    expect(await storage.list("")).toEqual(["a/one"]);
  },
);

test("a folder that a version without marks has filled is known by what was written there", async () => {
  const { storage, path } = await folder();
  await storage.put("a/one", inChunks(Buffer.from("x")));
  rmSync(join(path, ".reeve-storage"));
  // What is there may have been left below the mount point.
  await expect(storage.prepare(async () => "a/newer")).rejects.toMatchObject({ kind: "unavailable" });
  await storage.prepare(async () => "a/one");
  await storage.put("a/two", inChunks(Buffer.from("x")));
  expect(await storage.list("")).toEqual(["a/one", "a/two"]);
});

async function* inChunks(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}
