import { readFileSync, writeFileSync } from "node:fs";
import {
  type Database,
  deleteRootKey,
  deleteScopeKeys,
  listKeys,
  moveRoot,
  retireScopeKeys,
  type Sealed,
  scopeKeyRetention,
} from "@reeve/store";
import { testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { type Keyring, openKeys } from "./keys.ts";
import { rootFile } from "./root-file.ts";
import { rootVault } from "./root-vault.ts";
import { openRoots, proofOf, type Roots } from "./roots.ts";
import { nextRoot, rotateSome } from "./rotation.ts";
import { keyFile } from "./testing.ts";
import { testVault } from "./testing-vault.ts";

const columns = [{ table: "note", key: "owner, number", column: "sealed" }];
const plain = Buffer.from("hunter2");

async function house(given?: Roots["places"]) {
  const { database } = await testDatabase();
  await database.query(
    "create table note (owner uuid, number int, sealed jsonb, primary key (owner, number))",
  );
  const places: Roots["places"] = given ?? [rootFile(keyFile())];
  const open = async () => openKeys(database, await openRoots(database, places));
  return { database, keys: await open(), places, open };
}

async function write(database: Database, keys: Keyring, scope: string, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const sealed = await keys.seal(scope, `note/${scope}/${number}`, plain);
    const owner = `00000000-0000-4000-8000-${Buffer.from(scope).toString("hex").padStart(12, "0").slice(-12)}`;
    await database.query("insert into note values ($1, $2, $3)", [owner, number, sealed]);
  }
}

async function readAll(database: Database, keys: Keyring, scope: string): Promise<Sealed[]> {
  const rows = await database.query<{ number: number; sealed: Sealed }>("select number, sealed from note");
  for (const { number, sealed } of rows)
    expect(Buffer.from(await keys.open(`note/${scope}/${number}`, sealed))).toEqual(plain);
  return rows.map((row) => row.sealed);
}

async function finish(database: Database, keys: Keyring): Promise<number> {
  let steps = 0;
  while ((await rotateSome(database, keys, columns)).renewed > 0) steps++;
  return steps;
}

async function rotateRoot(database: Database, keys: Keyring): Promise<{ from: string; to: string }> {
  const from = (await keys.roots.current()).id;
  const to = await nextRoot(keys.roots, 1);
  const row = { id: to.id, proof: await proofOf(to) };
  expect(await database.transact((sql) => moveRoot(sql, from, row))).toBe(true);
  return { from, to: to.id };
}

test("a new root key closes all scope keys; the old one is kept until then, and goes only then", async () => {
  const { database, keys, open } = await house();
  await write(database, keys, "acme", 3);
  await keys.seal("globex", "x", plain);
  const { from, to } = await rotateRoot(database, keys);
  expect(from).not.toBe(to);
  expect(await deleteRootKey(database, from)).toBe(false);
  // Killed here: the next start finds both keys, and goes on.
  const next = await open();
  await readAll(database, next, "acme");
  expect(await finish(database, next)).toBeGreaterThan(0);
  const roots = (await listKeys(database, columns)).filter((key) => key.level === "root");
  expect(roots).toMatchObject([
    { id: to, state: "current", holds: 2 },
    { id: from, state: "retired", holds: 0 },
  ]);
  await readAll(database, await open(), "acme");
  expect(await deleteRootKey(database, to)).toBe(false);
  expect(await deleteRootKey(database, from)).toBe(true);
});

test("the old root key may leave the file only when nothing needs it", async () => {
  const path = keyFile();
  const { database, keys } = await house([rootFile(path)]);
  await write(database, keys, "acme", 1);
  const { from } = await rotateRoot(database, keys);
  const [, second = ""] = readFileSync(path, "utf8").trim().split("\n");
  const whole = readFileSync(path, "utf8");
  writeFileSync(path, second);
  await expect(openRoots(database, [rootFile(path)])).rejects.toThrow(`needs the root key ${from}`);
  writeFileSync(path, whole);
  await finish(database, keys);
  writeFileSync(path, second);
  await readAll(database, openKeys(database, await openRoots(database, [rootFile(path)])), "acme");
});

test("a rotation of scope keys renews what closes the values, a batch at a time, and touches no value", async () => {
  const { database, keys, open } = await house();
  await write(database, keys, "acme", 250);
  const other = await keys.seal("globex", "x", plain);
  const before = await readAll(database, keys, "acme");
  const [old = ""] = await retireScopeKeys(database, "acme");
  await rotateSome(database, keys, columns);
  const half = await listKeys(database, columns);
  expect(half.filter((key) => key.organization === "acme").map((key) => key.holds)).toEqual([100, 150]);
  expect(await deleteScopeKeys(database, columns, { retiredMinutes: 0, limit: 1, id: old })).toBe(0);
  await readAll(database, await open(), "acme");
  // Another one goes on where the first one stopped.
  expect(await finish(database, await open())).toBe(2);
  const after = await readAll(database, await open(), "acme");
  expect(after.map((one) => one.data).sort()).toEqual(before.map((one) => one.data).sort());
  expect(after.some((one) => one.key === old)).toBe(false);
  expect(other.key).toBe((await keys.seal("globex", "y", plain)).key);
  expect(await deleteScopeKeys(database, columns, { retiredMinutes: 10, limit: 1, id: old })).toBe(0);
  expect(await deleteScopeKeys(database, columns, { retiredMinutes: 0, limit: 1, id: old })).toBe(1);
});

test("what a slow writer still sealed under the old key is renewed too", async () => {
  const { database, keys, open } = await house();
  await write(database, keys, "acme", 1);
  const slow = await open();
  const late = await slow.seal("acme", "note/acme/7", plain);
  await retireScopeKeys(database, undefined);
  await finish(database, keys);
  await database.query("insert into note values ($1, 7, $2)", ["00000000-0000-4000-8000-000000000007", late]);
  expect(await finish(database, keys)).toBe(1);
  expect((await readAll(database, keys, "acme")).some((one) => one.key === late.key)).toBe(false);
});

test("a value that was replaced while it was renewed keeps its new content", async () => {
  const { database, keys } = await house();
  await write(database, keys, "acme", 1);
  await retireScopeKeys(database, undefined);
  const replacing: Keyring = {
    ...keys,
    async rewrap(sealed) {
      const fresh = await keys.seal("acme", "note/acme/0", Buffer.from("newer"));
      await database.query("update note set sealed = $1", [fresh]);
      return keys.rewrap(sealed);
    },
  };
  await rotateSome(database, replacing, columns);
  const [row] = await database.query<{ sealed: Sealed }>("select sealed from note");
  expect(Buffer.from(await keys.open("note/acme/0", row?.sealed as Sealed)).toString()).toBe("newer");
});

test("what was changed in the database is left under its old key, told by its place, and holds nothing else up", async () => {
  const { database, keys } = await house();
  await write(database, keys, "acme", 5);
  await database.query(`update note set sealed = sealed || '{"wrapped": "AAAA"}' where number = 2`);
  const [old = ""] = await retireScopeKeys(database, undefined);
  expect(await finish(database, keys)).toBe(1);
  const { renewed, broken } = await rotateSome(database, keys, columns);
  expect({ renewed, broken }).toEqual({ renewed: 0, broken: [expect.stringMatching(/^note .*\/2$/)] });
  expect((await listKeys(database, columns)).find((key) => key.id === old)?.holds).toBe(1);
  expect(await deleteScopeKeys(database, columns, { retiredMinutes: 0, limit: 1, id: old })).toBe(0);
});

test("a move to Vault is a rotation like any other", async () => {
  const path = keyFile();
  const { database, keys } = await house([rootFile(path)]);
  await write(database, keys, "acme", 2);
  const vault = await testVault();
  const token = { text: vault.token };
  const transit = rootVault({ address: vault.address, token, mount: "transit", key: "reeve" });
  const moved = openKeys(database, await openRoots(database, [transit, rootFile(path)]));
  expect((await rotateRoot(database, moved)).to).toBe("vault-transit-reeve-v1");
  await finish(database, moved);
  expect((await rotateRoot(database, moved)).to).toBe("vault-transit-reeve-v2");
  await finish(database, moved);
  vault.forgetBefore("reeve", 2);
  await readAll(database, openKeys(database, await openRoots(database, [transit])), "acme");
});

test("a key that only one of several replicas would know is not made; one that a person gave to all is used", async () => {
  const path = keyFile();
  const { database, keys } = await house([rootFile(path)]);
  await expect(nextRoot(keys.roots, 2)).rejects.toThrow("2 replicas are running");
  const given = await rootFile(path).make();
  expect((await nextRoot(keys.roots, 2)).id).toBe(given.id);
  expect(await listKeys(database, columns)).toHaveLength(1);
});

test("keys of organizations that are gone go when nothing is sealed by them", async () => {
  const { database, keys } = await house();
  await write(database, keys, "acme", 1);
  await keys.seal("globex", "x", plain);
  await keys.seal("", "x", plain);
  const rule = scopeKeyRetention(columns);
  const states = async () =>
    Object.fromEntries(
      (await listKeys(database, columns)).map((key) => [key.organization ?? "root", key.state]),
    );
  await rule.prune(database, 10);
  expect(await states()).toEqual({ root: "current", "": "current", acme: "current", globex: "retired" });
  await database.query("update scope_key set since = now() - interval '25 hours'");
  await rule.prune(database, 10);
  expect(await states()).toEqual({ root: "current", "": "current", acme: "current" });
});
