import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
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

function folder(): { storage: Storage; path: string } {
  const path = mkdtempSync(join(tmpdir(), "reeve-storage-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return { path, storage: folderStorage(path) };
}

const places: [string, () => Promise<Storage>][] = [
  ["a folder", async () => folder().storage],
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
  const { storage, path } = folder();
  await storage.put("a/one", inChunks(Buffer.from("x")));
  expect(readdirSync(path)).toEqual(["a"]);
  expect(statSync(join(path, "a")).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, "a", "one")).mode & 0o777).toBe(0o600);
});

async function* inChunks(content: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}
