import { readFileSync, statSync } from "node:fs";
import { keyFile } from "@reeve/keys/testing";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { newUser } from "./testing-people.ts";

/** With root keys in a file, as a new installation has them. */
const inFile = () => {
  const path = keyFile();
  return { path, settings: { REEVE_ROOT_KEY: undefined, REEVE_ROOT_KEY_FILE: path } };
};

type Key = { id: string; level: string; organization: string | null; state: string; holds: number };

test("the root key is replaced while running; the old one is refused for deletion until nothing needs it", async () => {
  const { path, settings } = inFile();
  // Nobody works yet: the rotation begins, and waits for somebody to go on with it.
  const server = await testServer({ settings: { ...settings, REEVE_ROLES: "api" } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const keys = async (): Promise<Key[]> => (await server.call("GET", "/keys")).body.items;
  const [old] = await keys();
  expect(old).toMatchObject({ level: "root", state: "current" });

  const rotated = await server.call("POST", "/keys/rotate", { body: { level: "root" } });
  expect(rotated.body).toEqual({ retired: [old?.id] });
  expect(readFileSync(path, "utf8").trim().split("\n")).toHaveLength(2);
  const early = await server.call("DELETE", `/keys/${old?.id}`);
  expect(early.status).toBe(409);
  expect(early.body.detail).toMatch(/still closes 1 scope keys/);
  const again = await server.call("POST", "/keys/rotate", { body: { level: "root" } });
  expect(again.body.detail).toMatch(/not finished/);

  await testServer({ settings, share: server });
  await expect.poll(async () => (await keys()).find((key) => key.id === old?.id)?.holds).toBe(0);
  const current = (await keys()).find((key) => key.state === "current" && key.level === "root");
  expect(current?.holds).toBe(1);
  expect((await server.call("DELETE", `/keys/${current?.id}`)).body.detail).toMatch(/is the current key/);
  expect((await server.call("DELETE", `/keys/${old?.id}`)).status).toBe(200);
  expect((await server.call("DELETE", `/keys/${old?.id}`)).status).toBe(404);

  const audit = await server.database.query<{ operation: string; name: string }>(
    "select operation, name from audit where kind = 'Key' order by revision",
  );
  expect(audit).toEqual([
    { operation: "rotate", name: current?.id },
    { operation: "delete", name: old?.id },
  ]);
});

test("scope keys are retired for all organizations or one, and stay for whoever still seals under them", async () => {
  const server = await testServer({ settings: { REEVE_ROLES: "api" } });
  const [, own] = (await server.call("GET", "/keys")).body.items as Key[];
  expect(own).toMatchObject({ level: "scope", organization: "", state: "current", holds: 1 });
  const other = await server.call("POST", "/keys/rotate", { body: { level: "scope", organization: "acme" } });
  expect(other.body).toEqual({ retired: [] });
  const all = await server.call("POST", "/keys/rotate", { body: { level: "scope" } });
  expect(all.body).toEqual({ retired: [own?.id] });
  // The key of the authority that agents trust; this replica does not seal it anew.
  expect((await server.call("DELETE", `/keys/${own?.id}`)).body.detail).toMatch(/still closes 1 value/);
  await server.database.query("delete from authority");
  expect((await server.call("DELETE", `/keys/${own?.id}`)).body.detail).toMatch(/was in use a moment ago/);
  await server.database.query("update scope_key set since = now() - interval '11 minutes'");
  expect((await server.call("DELETE", `/keys/${own?.id}`)).status).toBe(200);
});

test("a key in the environment is replaced by whoever sets the environment", async () => {
  const server = await testServer();
  const refused = await server.call("POST", "/keys/rotate", { body: { level: "root" } });
  expect(refused.status).toBe(412);
  expect(refused.body.next).toMatch(/append a new key to REEVE_ROOT_KEY/);
});

test("keys are for owners of the installation who have just proved it, not for an organization's", async () => {
  const server = await testServer();
  const org = await newUser(server, "olga", [{ role: "owner", scope: "acme" }]);
  for (const [method, path] of [
    ["GET", "/keys"],
    ["POST", "/keys/rotate"],
    ["DELETE", "/keys/x"],
  ] as const) {
    const body = method === "POST" ? { level: "root" } : undefined;
    expect((await server.call(method, path, { token: null, body })).status).toBe(401);
    expect((await org.call(method, path, { body })).status).toBe(403);
  }
  expect((await server.call("POST", "/keys/rotate", { body: { level: "all" } })).status).toBe(422);
  const stale = await newUser(server, "mara", [{ role: "owner", scope: "" }]);
  await server.database.query("update session set authenticated_at = now() - interval '1 hour'");
  for (const [method, path] of [
    ["POST", "/keys/rotate"],
    ["DELETE", "/keys/x"],
  ] as const)
    expect(await stale.call(method, path, { body: { level: "root" } })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("fresh") },
    });
  expect((await stale.call("GET", "/keys")).status).toBe(200);
});
