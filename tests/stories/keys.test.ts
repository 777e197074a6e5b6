import { chmodSync, existsSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { testVault } from "../../core/keys/testing-vault.ts";
import { testDatabase } from "../../core/store/testing.ts";
import { password, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { refusedServer, type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** The root key of a new installation: made, replaced, lost, and brought back. One story, in this order. */
const bench = openBench(afterAll);
let server: ServerProcess;
let reeve: Cli;
let file: string;

interface Key {
  readonly id: string;
  readonly level: string;
  readonly state: string;
  readonly holds: number;
}

beforeAll(async () => {
  server = await startServer(bench);
  file = join(server.data, "root.key");
  reeve = openCli(bench);
  await done(
    ["setup", server.setupLink ?? "", "--user", "ada", "--password-stdin", "--organization", "acme"],
    password,
  );
});

async function done(args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await reeve(args, stdin === undefined ? {} : { stdin: `${stdin}\n` });
  if (code !== 0) throw new Error(`reeve ${args.join(" ")} ended with ${code}: ${stderr}`);
  return stdout;
}

async function rootKeys(): Promise<Key[]> {
  const { items } = JSON.parse(await done(["key", "list", "-o", "json"])) as { items: Key[] };
  return items.filter((key) => key.level === "root");
}

test("the first start makes the root key, for its owner alone", async () => {
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await rootKeys()).toMatchObject([{ state: "current" }]);
  expect(await done(["key", "list"])).toMatch(/^ID +OF +STATE +AGE +HOLDS\nlocal-\w{20} +root +current/);
  expect(await done(["key", "list"])).toMatch(/^[\w-]{36} +the installation +current/m);
});

test("it is replaced while running, and the old one forgotten when it is needed no more", async () => {
  const [before] = await rootKeys();
  await done(["key", "rotate", "root"]);
  await done(["key", "rotate", "scope", "-s", "acme"]);
  const old = async () => (await rootKeys()).find((key) => key.id === before?.id);
  await until("the old key to hold nothing", async () => (await old())?.holds === 0);
  const current = (await rootKeys()).find((key) => key.state === "current");
  const refused = await reeve(["key", "delete", current?.id ?? ""]);
  expect(refused.stderr).toMatch(/is the current key\nnext: `reeve key rotate root` replaces it/);
  await done(["key", "delete", before?.id ?? ""]);
  expect(await old()).toBeUndefined();
  const [, second] = readFileSync(file, "utf8").split("\n");
  writeFileSync(file, `${second}\n`);
});

test("a server that does not find its key says which and where, and makes no other", async () => {
  const [key] = await rootKeys();
  await server.stop();
  renameSync(file, `${file}.away`);
  const start = () => refusedServer(bench, { data: server.data });
  const lost = await start();
  expect(lost).toMatchObject({ code: 1, stdout: "" });
  expect(lost.stderr).toContain(`needs the root key ${key?.id}, which was not found in the file ${file}`);
  expect(lost.stderr).toContain("bring the right key back");
  expect(lost.stderr).not.toMatch(/\n\s+at /);
  expect(() => statSync(file)).toThrow("ENOENT");

  writeFileSync(file, `${Buffer.alloc(32, "another").toString("base64")}\n`, { mode: 0o600 });
  expect((await start()).stderr).toMatch(new RegExp(`needs the root key ${key?.id}, .*: local-`));
  writeFileSync(file, "not a key\n");
  expect((await start()).stderr).toMatch(/key 1 is not 32 bytes in base64/);

  renameSync(`${file}.away`, file);
  chmodSync(file, 0o644);
  expect((await start()).stderr).toContain(`chmod 600 ${file}`);
  chmodSync(file, 0o600);
  server = await startServer(bench, { data: server.data });
  expect(await server.stop()).toMatchObject({ code: 0 });
});

test("a server keeps its root key in the Vault that its settings name, and does not start without it", async () => {
  const vault = await testVault();
  const { url } = await testDatabase();
  const own = openBench(onTestFinished);
  const folder = own.folder();
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, `${vault.token}\n`);
  const named = {
    REEVE_DATABASE_URL: url,
    REEVE_ROOT_KEY_VAULT_ADDRESS: vault.address,
    REEVE_ROOT_KEY_VAULT_KEY: "prod",
  };
  const byText = { ...named, REEVE_ROOT_KEY_VAULT_TOKEN: vault.token };
  const byFile = { ...named, REEVE_ROOT_KEY_VAULT_TOKEN_FILE: tokenFile };
  const secret = "/api/v1/organizations/acme/secrets/db";

  const first = await startServer(own, { data: join(folder, "data"), settings: byText });
  const { token, call } = await setUp(first.url, first.setupLink);
  await call("PUT", secret, { body: { spec: {} } });
  await call("POST", `${secret}/actions/set`, { body: { values: { password: "hunter2" } } });
  const roots = async () => {
    const { items } = (await call("GET", "/api/v1/keys")).body as { items: Key[] };
    return items.filter((key) => key.level === "root").map(({ id, state }) => `${id} ${state}`);
  };
  expect(await roots()).toEqual(["vault-transit-prod-v1 current"]);
  expect((await call("POST", "/api/v1/keys/rotate", { body: { level: "root" } })).status).toBe(200);
  expect(await roots()).toContain("vault-transit-prod-v2 current");
  await first.stop();
  expect(existsSync(join(folder, "data", "root.key"))).toBe(false);

  vault.asked.length = 0;
  const second = await startServer(own, { data: join(folder, "data"), settings: byFile });
  const revealed = await second.api(token).call("POST", `${secret}/actions/reveal`, { body: {} });
  expect(revealed.body.values).toEqual({ password: "hunter2" });
  expect(vault.asked).toContain("POST transit/decrypt/prod");
  await second.stop();

  const refused = async (settings: Record<string, string>) => {
    const ended = await refusedServer(own, { data: join(folder, "data"), settings });
    expect(ended).toMatchObject({ code: 1, stdout: "" });
    return ended.stderr;
  };
  expect(await refused({ ...byFile, REEVE_ROOT_KEY_VAULT_MOUNT: "other" })).toMatch(
    /root key vault-transit-prod-v\d, which was not found in the key prod of Vault's transit engine other at/,
  );
  writeFileSync(tokenFile, "another\n");
  expect(await refused(byFile)).toMatch(/the root key is out of reach: Vault at .*permission denied/s);
  expect(await refused({ REEVE_DATABASE_URL: url })).toMatch(
    /root key vault-transit-prod-v\d, which was not found in the environment/,
  );
});
