import { chmodSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../harness/api.ts";
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
