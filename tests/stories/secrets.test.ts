import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** docs/secrets.md, carried out: manifests from Git without values, values by the command line, and who uses them. One story. */
const bench = openBench(afterAll);
let server: ServerProcess;
let reeve: Cli;

const manifests = `apiVersion: reeve/v1
kind: Project
metadata: { scope: acme, name: shop }
---
apiVersion: reeve/v1
kind: Secret
metadata: { scope: acme/shop, name: database }
spec:
  keys:
    password: { description: Of the user shop. }
---
apiVersion: reeve/v1
kind: Connection
metadata: { scope: acme/shop, name: database }
spec:
  type: postgres
  host: db.example.com
  database: shop
  user: shop
  password: { secretRef: { name: database, key: password } }
`;

beforeAll(async () => {
  server = await startServer(bench);
  reeve = openCli(bench, { REEVE_SCOPE: "acme/shop" });
  const args = [
    "setup",
    server.setupLink as string,
    "--user",
    "ada",
    "--organization",
    "acme",
    "--password-stdin",
  ];
  await done(args, `${password}\n`);
});

async function done(args: readonly string[], stdin?: string): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await reeve(args, stdin === undefined ? {} : { stdin });
  expect({ code, stderr: code === 0 ? "" : stderr }, `reeve ${args.join(" ")}`).toEqual({
    code: 0,
    stderr: "",
  });
  return { stdout, stderr };
}

test("a manifest says which keys there should be, and values come by the command line", async () => {
  writeFileSync(join(reeve.home, "shop.yaml"), manifests);
  await done(["apply", "-f", "shop.yaml"]);
  expect((await done(["secret", "get", "database"])).stdout).toMatch(/password +missing +Of the user shop\./);
  const set = await done(["secret", "set", "database", "password=-"], "first\n");
  expect(set).toEqual({ stdout: "", stderr: "secret database is now at version 1, with password\n" });
  writeFileSync(join(reeve.home, "server.crt"), "-----BEGIN-----\n");
  await done(["secret", "set", "database", "password=second", "tls.crt=@server.crt"]);
  expect((await done(["secret", "get", "database"])).stdout).toMatch(/password +set .*\ntls\.crt +set/);
  const described = (await done(["describe", "secret/database"])).stdout;
  expect(described).toMatch(/^Status:\n(?: {2}.*\n)* {2}version: 2$/m);
  expect((await done(["apply", "-f", "shop.yaml"])).stdout).toContain("secret/acme/shop/database unchanged");
  const all = await done(["get", "secret,connection", "-o", "yaml"]);
  expect(all.stdout).not.toMatch(/first|second|BEGIN/);
});

test("revealing prints one value alone, or all for programs", async () => {
  expect((await done(["secret", "reveal", "database", "password"])).stdout).toBe("second\n");
  expect((await done(["secret", "reveal", "database", "tls.crt"])).stdout).toBe("-----BEGIN-----\n");
  expect((await done(["secret", "reveal", "database", "password", "--at", "1"])).stdout).toBe("first\n");
  const { stdout } = await done(["secret", "reveal", "database", "-o", "json"]);
  expect(JSON.parse(stdout)).toEqual({
    version: 2,
    values: { password: "second", "tls.crt": "-----BEGIN-----\n" },
  });
  const missing = await reeve(["secret", "reveal", "database", "user"]);
  expect(missing).toMatchObject({ code: 3, stdout: "" });
  expect(missing.stderr).toContain("version 2 has no key user");
});

test("a token reveals nothing, whatever its rights", async () => {
  const { stdout } = await done(["token", "create", "mine"]);
  const { code, stderr } = await reeve(["secret", "reveal", "database"], {
    env: { REEVE_URL: server.url, REEVE_TOKEN: stdout.trim() },
  });
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("this needs a session") });
});

test("versions are listed, and an earlier one is used again", async () => {
  const rolled = await done(["secret", "rollback", "database", "--to", "1"]);
  expect(rolled.stderr).toBe("secret database is now at version 3, with the values of 1\n");
  const { stdout } = await done(["secret", "versions", "database"]);
  expect(stdout).toMatch(
    /^VERSION .*\n3 \(as 1\) .*user:ada +password\n2 .*password, tls\.crt\n1 .*password\n$/,
  );
  expect((await done(["secret", "reveal", "database", "password"])).stdout).toBe("first\n");
});

test("who uses a secret is shown, and keeps it from being deleted", async () => {
  const place = /Connection acme\/shop\/database +\/spec\/password\/secretRef/;
  expect((await done(["describe", "secret/database"])).stdout).toMatch(place);
  expect((await done(["why", "secret/database"])).stdout).toContain(
    "used by Connection acme/shop/database at /spec/",
  );
  const held = await reeve(["delete", "secret/database"]);
  expect(held).toMatchObject({ code: 6, stdout: "" });
  expect(held.stderr).toContain("in use by Connection acme/shop/database (/spec/password/secretRef)");
  const wrong = await reeve(["apply", "-f", "-"], {
    stdin: manifests.replace("name: database, key", "name: none, key"),
  });
  expect(wrong.code).toBe(3);
  expect(wrong.stderr).toContain("/spec/password/secretRef: there is no Secret none in acme/shop or above");
  expect((await done(["delete", "secret/database", "--force"])).stdout).toBe(
    "secret/acme/shop/database deleted\n",
  );
});

test("a secret that is not there yet is made, and keys can be taken away", async () => {
  const { stderr } = await done(["secret", "set", "acme/mail", "user=shop", "password=pw"]);
  expect(stderr).toBe("secret mail made\nsecret mail is now at version 1, with password, user\n");
  await done(["secret", "set", "acme/mail", "--remove", "user"]);
  expect(JSON.parse((await done(["secret", "get", "acme/mail", "-o", "json"])).stdout)).toMatchObject({
    version: 2,
    keys: ["password"],
  });
  expect((await reeve(["secret", "set", "acme/mail", "password"])).stderr).toContain("password=@FILE");
});
