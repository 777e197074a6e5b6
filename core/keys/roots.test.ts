import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { rootEnvironment } from "./root-environment.ts";
import { rootFile } from "./root-file.ts";
import { openRoots } from "./roots.ts";
import { keyFile } from "./testing.ts";

const newKey = () => randomBytes(32).toString("base64");

test("the first start makes a file that only its owner reads; the next ones use it", async () => {
  const { database } = await testDatabase();
  const path = keyFile();
  const first = await (await openRoots(database, [rootFile(path)])).current();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  expect((await (await openRoots(database, [rootFile(path)])).current()).id).toBe(first.id);
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(first.id).not.toContain(text.trim());
});

test("a lost key is never replaced: the message tells which one is needed and where it was looked for", async () => {
  const { database } = await testDatabase();
  const path = keyFile();
  const { id } = await (await openRoots(database, [rootFile(path)])).current();
  rmSync(path);
  await expect(openRoots(database, [rootFile(path)])).rejects.toThrow(
    `needs the root key ${id}, which was not found in the file ${path} (REEVE_ROOT_KEY_FILE): no key`,
  );
  expect(existsSync(path)).toBe(false);
  const other = rootEnvironment(newKey());
  const [{ id: otherId } = { id: "" }] = await other.keys();
  await expect(openRoots(database, [other, rootFile(path)])).rejects.toThrow(
    new RegExp(
      `needs the root key ${id}, .*REEVE_ROOT_KEY\\): ${otherId}; the file .*no key\\. To go on, bring the right key back`,
    ),
  );
});

test("a key that takes another one's name is found out", async () => {
  const { database } = await testDatabase();
  const text = newKey();
  const { id } = await (await openRoots(database, [rootEnvironment(text)])).current();
  const [other] = await rootEnvironment(newKey()).keys();
  const liar = {
    where: "nowhere",
    seenByAll: false,
    keys: async () => [{ ...(other as NonNullable<typeof other>), id }],
    make: never,
  };
  await expect(openRoots(database, [liar])).rejects.toThrow(`the root key ${id} does not open`);
});

test("of two first starts at once, one key wins and the other start is refused", async () => {
  const { database } = await testDatabase();
  const starts = await Promise.allSettled(
    [newKey(), newKey()].map((text) => openRoots(database, [rootEnvironment(text)])),
  );
  expect(starts.map((one) => one.status).sort()).toEqual(["fulfilled", "rejected"]);
});

test.each([
  ["that is too short", randomBytes(16).toString("base64")],
  ["that is no base64", "correct horse battery staple"],
  ["among good ones", `${newKey()},x`],
])("a key %s is refused without being shown", (_, text) => {
  expect(() => rootEnvironment(text)).toThrow(/REEVE_ROOT_KEY\): key \d is not 32 bytes in base64/);
  expect(() => rootEnvironment(text)).not.toThrow(text);
});

test("a key file that everybody can read is refused", async () => {
  const { database } = await testDatabase();
  const path = keyFile();
  writeFileSync(path, `${newKey()}\n`);
  chmodSync(path, 0o644);
  await expect(openRoots(database, [rootFile(path)])).rejects.toThrow(`chmod 600 ${path}`);
});

async function never(): Promise<never> {
  throw new Error("nothing is made here");
}
