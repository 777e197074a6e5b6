import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Journal, openJournal } from "./journal.ts";

const live = ["kept"];
/** Enough to have the file written anew. */
const much = "x".repeat(2000);

async function scratchJournal(): Promise<{ file: string; journal: Journal; calls: FileHandle }> {
  const folder = mkdtempSync(join(tmpdir(), "reeve-journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "spool");
  const journal = await openJournal({ file, read() {}, live: () => live, compactBytes: 1000 });
  onTestFinished(() => journal.close());
  const handle = await open(file);
  await handle.close();
  return { file, journal, calls: Object.getPrototypeOf(handle) as FileHandle };
}

/** Calls of open files that fail from now on, as on a disk with errors. */
function failing(calls: FileHandle, call: "sync" | "appendFile") {
  const spy = vi.spyOn(calls, call).mockRejectedValue(Object.assign(new Error("EIO"), { code: "EIO" }));
  onTestFinished(() => spy.mockRestore());
  return spy;
}

const linesOf = (file: string) => readFileSync(file, "utf8").trimEnd().split("\n");

test("a file written anew whose name does not reach the disk takes nothing until it does, and then everything", async () => {
  const { file, journal, calls } = await scratchJournal();
  const sync = failing(calls, "sync");
  await journal.append([much]);
  await expect(journal.append(["refused"])).rejects.toThrow("EIO");
  expect(linesOf(file)).toEqual(live);
  sync.mockRestore();
  await journal.append(["after"]);
  expect(linesOf(file)).toEqual([...live, "after"]);
});

test("a file that cannot be written anew goes on as it was", async () => {
  const { file, journal, calls } = await scratchJournal();
  const append = failing(calls, "appendFile");
  await journal.append([much]);
  await journal.append(["after"]);
  append.mockRestore();
  expect(linesOf(file)).toEqual([much, "after"]);
});
