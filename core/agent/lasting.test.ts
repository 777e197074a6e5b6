import { existsSync, mkdtempSync, readlinkSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openDesired } from "./keepers/desired.ts";
import { type Identity, readIdentity, writeIdentity } from "./link/identity.ts";
import { writePlace } from "./logs/place.ts";

const identity: Identity = {
  uid: "h1",
  scope: "",
  name: "web-1",
  urls: ["https://127.0.0.1:1"],
  proof: { by: "bearer", bearer: "one" },
  generation: 1,
  expiresAt: "2027-01-02T00:00:00.000Z",
  renewAt: "2027-01-01T12:00:00.000Z",
};
const place = { offset: 9, raw: 9, shipped: 9, hash: new Uint8Array(3), cuts: 0, gap: "", holes: [] };

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-lasting-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Where the calls of every open file are. */
async function fileCalls(): Promise<FileHandle> {
  const handle = await open(".");
  await handle.close();
  return Object.getPrototypeOf(handle) as FileHandle;
}

/** What is synchronised from now on, by its path, and whether the file had its name by then. */
async function hearSyncs(file: string): Promise<[path: string, named: boolean][]> {
  const prototype = await fileCalls();
  const heard: [string, boolean][] = [];
  for (const call of ["sync", "datasync"] as const) {
    const real = prototype[call];
    const spy = vi.spyOn(prototype, call).mockImplementation(function (this: FileHandle) {
      heard.push([readlinkSync(`/proc/self/fd/${this.fd}`), existsSync(file)]);
      return real.call(this);
    });
    onTestFinished(() => spy.mockRestore());
  }
  return heard;
}

test.each<[string, (file: string) => Promise<unknown>]>([
  ["an identity", (file) => writeIdentity(file, identity)],
  ["a place of which bytes are freed", (file) => writePlace(file, place)],
])("%s is on the disk when it is written, and its name too", async (_, write) => {
  const folder = scratch();
  const file = join(folder, "it");
  const heard = await hearSyncs(file);
  await write(file);
  expect(heard).toEqual([
    [`${file}.new`, false],
    [folder, true],
  ]);
});

test("so is what is to be kept of a resource, and the key that opens it", async () => {
  const folder = scratch();
  const heard = await hearSyncs(join(folder, "one.kept"));
  const desired = await openDesired(folder);
  await desired.write({ kind: "Service", uid: "one" });
  expect(heard).toEqual([
    [join(folder, "key.new"), false],
    [folder, false],
    [join(folder, "one.kept.new"), false],
    [folder, true],
  ]);
});

test("an identity whose name may not be on the disk is not one to be used", async () => {
  const file = join(scratch(), "identity.json");
  await writeIdentity(file, identity);
  const spy = vi.spyOn(await fileCalls(), "sync").mockRejectedValueOnce(new Error("EIO"));
  onTestFinished(() => spy.mockRestore());
  await expect(writeIdentity(file, { ...identity, generation: 2 })).rejects.toThrow("EIO");
  await writeIdentity(file, { ...identity, generation: 3 });
  expect(await readIdentity(file)).toEqual({ ...identity, generation: 3 });
});
