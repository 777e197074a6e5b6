import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testDatabase } from "@reeve/store/testing";
import { expect, onTestFinished, test } from "vitest";
import { openKeys } from "./keys.ts";
import { rootVault } from "./root-vault.ts";
import { openRoots } from "./roots.ts";
import { type TestVault, testVault } from "./testing-vault.ts";

const plain = Buffer.from("hunter2");

function place(vault: TestVault, given: { token?: string; timeoutMs?: number } = {}) {
  const { token = vault.token, timeoutMs = 5000 } = given;
  return rootVault({
    address: vault.address,
    token: { text: token },
    mount: "transit",
    key: "reeve",
    timeoutMs,
  });
}

test("the first start makes the transit key; the next ones and other replicas use it", async () => {
  const { database } = await testDatabase();
  const vault = await testVault();
  const one = openKeys(database, await openRoots(database, [place(vault)]));
  const sealed = await one.seal("acme", "x", plain);
  const two = openKeys(database, await openRoots(database, [place(vault)]));
  expect(Buffer.from(await two.open("x", sealed))).toEqual(plain);
  expect((await two.roots.current()).id).toBe("vault-transit-reeve-v1");
  expect(vault.asked.filter((one) => one === "POST transit/keys/reeve")).toHaveLength(1);
});

test("each version is a key: what the old one has closed opens after a rotation, by name and by nature", async () => {
  const vault = await testVault();
  const root = place(vault);
  const first = await root.make();
  const wrapped = await first.wrap(plain);
  const second = await root.make();
  expect((await root.keys()).map((key) => key.id)).toEqual([
    "vault-transit-reeve-v1",
    "vault-transit-reeve-v2",
  ]);
  expect(Buffer.from(await first.unwrap(wrapped))).toEqual(plain);
  expect(await first.wrap(plain)).toMatch(/^vault:v1:/);
  expect(await second.wrap(plain)).toMatch(/^vault:v2:/);
  vault.forgetBefore("reeve", 2);
  expect((await root.keys()).map((key) => key.id)).toEqual([second.id]);
  await expect(first.unwrap(wrapped)).rejects.toThrow("too old");
});

test("another Vault with a key of the same name is found out, and makes no new key", async () => {
  const { database } = await testDatabase();
  await openRoots(database, [place(await testVault())]);
  const empty = await testVault();
  await expect(openRoots(database, [place(empty)])).rejects.toThrow(
    /needs the root key vault-transit-reeve-v1, which was not found in the key reeve .*: no key/,
  );
  expect(empty.asked.filter((one) => one.startsWith("POST"))).toEqual([]);
  const other = await testVault();
  await place(other).make();
  await expect(openRoots(database, [place(other)])).rejects.toThrow("does not open what was closed by it");
});

test.each([
  [
    "denied",
    (vault: TestVault) => vault.denied.push("transit/decrypt/reeve"),
    /permission denied.*may the token use transit\/decrypt\/reeve/s,
  ],
  ["sealed", (vault: TestVault) => (vault.sealed = true), /Vault is sealed/],
  ["silent", (vault: TestVault) => (vault.silent = true), /it has not answered for 0.2 s/],
])(
  "when Vault is %s, what is open stays open, the rest says why, and it goes on by itself",
  async (_, trouble, words) => {
    const { database } = await testDatabase();
    const vault = await testVault();
    const keys = openKeys(database, await openRoots(database, [place(vault)]));
    const known = await keys.seal("acme", "x", plain);
    const fresh = openKeys(database, await openRoots(database, [place(vault, { timeoutMs: 200 })]));
    trouble(vault);
    expect(Buffer.from(await keys.open("x", known))).toEqual(plain);
    const refused = await fresh.open("x", known).catch((error: unknown) => error);
    expect(refused).toMatchObject({ kind: "unavailable", message: expect.stringMatching(words) });
    await expect(openRoots(database, [place(vault, { timeoutMs: 200 })])).rejects.toThrow(words);
    expect(String(refused)).not.toContain(vault.token);
    Object.assign(vault, { denied: [], sealed: false, silent: false });
    expect(Buffer.from(await fresh.open("x", known))).toEqual(plain);
  },
);

test("a wrong token and a Vault that is not there are told apart from a lost key", async () => {
  const { database } = await testDatabase();
  const vault = await testVault();
  await expect(openRoots(database, [place(vault, { token: "wrong" })])).rejects.toThrow("permission denied");
  const nowhere = { ...vault, address: "http://127.0.0.1:9" };
  await expect(openRoots(database, [place(nowhere)])).rejects.toThrow("it cannot be reached");
});

test("a token in a file is read anew each time", async () => {
  const vault = await testVault();
  const folder = mkdtempSync(join(tmpdir(), "reeve-keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "token");
  const root = rootVault({ address: `${vault.address}/`, token: { file }, mount: "transit", key: "reeve" });
  await expect(root.keys()).rejects.toThrow(`${file} cannot be read`);
  writeFileSync(file, "old\n");
  await expect(root.keys()).rejects.toThrow("permission denied");
  writeFileSync(file, `${vault.token}\n`);
  expect(await root.keys()).toEqual([]);
});
