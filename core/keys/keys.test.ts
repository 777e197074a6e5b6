import { randomBytes } from "node:crypto";
import { testDatabase } from "@reeve/store/testing";
import { expect, test } from "vitest";
import { openKeys } from "./keys.ts";
import { rootEnvironment } from "./root-environment.ts";
import { openRoots } from "./roots.ts";
import { proveSealing } from "./self-test.ts";
import { testKeys } from "./testing.ts";

const plain = Buffer.from("hunter2, in äöü");

test("what is sealed opens about the same, and nothing else does", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  const sealed = await keys.seal("acme/shop", "secret/1/1", plain);
  expect(Buffer.from(await keys.open("secret/1/1", sealed))).toEqual(plain);
  expect(JSON.stringify(sealed)).not.toContain("hunter2");
  await expect(keys.open("secret/1/2", sealed)).rejects.toThrow(/secret\/1\/2 does not open/);
  const other = await keys.seal("acme/shop", "secret/1/1", plain);
  for (const field of ["wrapped", "nonce", "data"] as const)
    await expect(keys.open("secret/1/1", { ...sealed, [field]: other[field] })).rejects.toThrow("not open");
  await expect(keys.open("secret/1/1", { ...sealed, data: "" })).rejects.toThrow("not open");
});

test("an organization has one key, made once, and each value one of its own", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  const scopes = ["", "acme", "acme/shop", "acme/shop/prod", "globex"];
  const sealed = await Promise.all(scopes.map((scope) => keys.seal(scope, "x", plain)));
  const [own, acme, shop, prod, globex] = sealed.map((one) => one.key);
  expect([shop, prod]).toEqual([acme, acme]);
  expect(new Set([own, acme, globex]).size).toBe(3);
  expect(new Set(sealed.map((one) => one.wrapped)).size).toBe(scopes.length);
  await expect(
    keys.open("x", { ...(sealed[1] as never as (typeof sealed)[0]), key: globex as string }),
  ).rejects.toThrow();
});

test("two scope keys that change places in the database open nothing", async () => {
  const { database } = await testDatabase();
  const place = rootEnvironment(randomBytes(32).toString("base64"));
  const roots = await openRoots(database, [place]);
  const keys = openKeys(database, roots);
  const sealed = await keys.seal("acme", "x", plain);
  await keys.seal("globex", "x", plain);
  await database.query(
    "update scope_key s set wrapped = (select wrapped from scope_key o where o.organization <> s.organization)",
  );
  await expect(openKeys(database, roots).open("x", sealed)).rejects.toThrow("not open");
});

test("another replica with the same root key opens it, also what it has never seen", async () => {
  const { database } = await testDatabase();
  const text = randomBytes(32).toString("base64");
  const one = openKeys(database, await openRoots(database, [rootEnvironment(text)]));
  const two = openKeys(database, await openRoots(database, [rootEnvironment(text)]));
  const sealed = await Promise.all([one.seal("acme", "x", plain), two.seal("acme", "x", plain)]);
  expect(sealed[0]?.key).toBe(sealed[1]?.key);
  for (const value of sealed)
    for (const keys of [one, two]) expect(Buffer.from(await keys.open("x", value))).toEqual(plain);
});

test("the self-test passes, leaves nothing, and notices keys that do not close", async () => {
  const { database } = await testDatabase();
  const keys = await testKeys(database);
  await proveSealing(database, keys);
  expect(await database.query("select 1 from key_check")).toEqual([]);
  const open = { ...keys, open: async () => plain };
  await expect(proveSealing(database, open)).rejects.toThrow("does not open");
  const careless = {
    ...keys,
    seal: async (scope: string, about: string, value: Uint8Array) => ({
      ...(await keys.seal(scope, about, value)),
      data: Buffer.from(value).toString("base64"),
    }),
  };
  await expect(proveSealing(database, careless)).rejects.toThrow("not ciphertext");
  const forgetful = {
    ...keys,
    seal: (scope: string, _: string, value: Uint8Array) => keys.seal(scope, "", value),
    open: (_: string, sealed: Parameters<typeof keys.open>[1]) => keys.open("", sealed),
  };
  await expect(proveSealing(database, forgetful)).rejects.toThrow("opens as another one");
});
