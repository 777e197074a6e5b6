import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { testDatabase } from "../../core/store/testing.ts";
import { type Bench, openBench } from "../harness/bench.ts";
import { fakePostgres } from "../harness/fake-postgres.ts";
import { refusedServer, type ServerOptions, startServer } from "../harness/server-process.ts";

/** A mistake in the configuration stops the start at once, with the name of the setting and without a stack. */
const bench = openBench(afterAll);

async function expectRefusal(options: ServerOptions, ...words: readonly (string | RegExp)[]) {
  const { code, stdout, stderr } = await refusedServer(bench, options);
  for (const word of words) expect(stderr).toMatch(word);
  expect(stderr).toMatch(/^reeve: cannot start: /);
  expect(stderr).not.toMatch(/\n\s+at /);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
}

describe("settings", () => {
  const cases: readonly [string, ServerOptions, ...string[]][] = [
    [
      "a port that is no number",
      { settings: { REEVE_LISTEN: "127.0.0.1:http" } },
      "REEVE_LISTEN",
      "host:port",
    ],
    ["a port that is too large", { settings: { REEVE_LISTEN: "127.0.0.1:70000" } }, "REEVE_LISTEN", "65535"],
    ["an address without a port", { args: ["--listen", "localhost"] }, "--listen", "host:port"],
    [
      "an unknown variable",
      { settings: { REEVE_LISTN: "127.0.0.1:1" } },
      "unknown setting REEVE_LISTN",
      "--help",
    ],
    ["an unknown flag", { args: ["--lisen=127.0.0.1:1"] }, "unknown flag --lisen", "--help"],
    ["a flag without its value", { args: ["--listen"] }, "--listen needs a value"],
    [
      "plain HTTP for everybody",
      { settings: { REEVE_LISTEN: "0.0.0.0:0" } },
      "REEVE_LISTEN",
      "REEVE_TLS_CERT",
      "REEVE_TLS_SELF_MADE",
      "REEVE_TRUSTED_PROXIES",
    ],
    ["a certificate without its key", { settings: { REEVE_TLS_CERT: "/tmp/x.pem" } }, "REEVE_TLS_KEY"],
    [
      "a Vault without a token",
      { settings: { REEVE_ROOT_KEY_VAULT_ADDRESS: "https://vault.example.com" } },
      "REEVE_ROOT_KEY_VAULT_TOKEN and REEVE_ROOT_KEY_VAULT_TOKEN_FILE",
    ],
    [
      "a Vault over plain HTTP",
      {
        settings: {
          REEVE_ROOT_KEY_VAULT_ADDRESS: "http://vault.example.com",
          REEVE_ROOT_KEY_VAULT_TOKEN: "hvs.x",
        },
      },
      "REEVE_ROOT_KEY_VAULT_ADDRESS: plain HTTP",
    ],
    [
      "another database",
      { settings: { REEVE_DATABASE_URL: "mysql://localhost/reeve" } },
      "REEVE_DATABASE_URL",
      "postgres://",
    ],
    ["an unknown role", { settings: { REEVE_ROLES: "api,banana" } }, "REEVE_ROLES", "work"],
    ["a name that is none", { settings: { REEVE_REPLICA: "Replica One" } }, "REEVE_REPLICA", "lower-case"],
  ];
  test.each(cases.map(([name, options, ...words]) => ({ name, options, words })))("$name", async (one) => {
    await expectRefusal(one.options, ...one.words);
  });

  test("a file with a mistake is named with the key, and the right key works", async () => {
    const cwd = bench.folder();
    const write = (text: string) => writeFileSync(join(cwd, "reeve.yaml"), text);
    write("lisen: 127.0.0.1:0\n");
    await expectRefusal({ cwd }, "reeve.yaml: unknown setting lisen", "--help");
    write("logLevel: loud\n");
    await expectRefusal({ cwd, settings: { REEVE_LOG_LEVEL: "" } }, "REEVE_LOG_LEVEL");
    write("replica: Me\n");
    await expectRefusal({ cwd }, "replica in reeve.yaml");
    write("listen: [oops\n");
    await expectRefusal({ cwd }, "reeve.yaml: ");
    await expectRefusal({ cwd, args: ["--config", "missing.yaml"] }, "missing.yaml");
  });
});

describe("what only the machine can tell", () => {
  test("a certificate that cannot be read, and one that is none", async () => {
    const folder = bench.folder();
    const databaseUrl = (await testDatabase()).url;
    const file = join(folder, "x.pem");
    const settings = { REEVE_DATABASE_URL: databaseUrl, REEVE_TLS_CERT: file, REEVE_TLS_KEY: file };
    await expectRefusal({ settings }, "REEVE_TLS_CERT", file);
    writeFileSync(file, "no certificate");
    await expectRefusal({ settings }, "REEVE_TLS_CERT");
  });

  test("a port in use names REEVE_LISTEN or REEVE_AGENT_LISTEN, and the process ends", async () => {
    const settings = { REEVE_DATABASE_URL: (await testDatabase()).url };
    const taken = await takenPort(openBench(onTestFinished));
    const listen = { ...settings, REEVE_LISTEN: taken };
    await expectRefusal(
      { settings: listen },
      `cannot listen on ${taken}: another program uses it`,
      "REEVE_LISTEN",
    );
    const agents = { ...settings, REEVE_AGENT_LISTEN: taken };
    await expectRefusal(
      { settings: agents },
      `cannot listen on ${taken}: another program`,
      "REEVE_AGENT_LISTEN",
    );
    // The two that were refused have left nothing behind that a third would trip over.
    const third = await startServer(openBench(onTestFinished), { settings });
    expect(await third.stop()).toEqual({ code: 0, signal: null });
  });

  test("a database that is too old, that is not there, and that nobody answers for", async () => {
    const old = { version: "PostgreSQL 13.14 on x86_64", number: "130014", refuses: [] };
    const fake = await fakePostgres(openBench(onTestFinished), old);
    const settings = { REEVE_DATABASE_URL: fake.url };
    await expectRefusal({ settings }, "REEVE_DATABASE_URL", "PostgreSQL 14 or later");

    const { url } = await testDatabase();
    const absent = { REEVE_DATABASE_URL: url.replace(/\/t_\w+\?/, "/not_there?") };
    await expectRefusal({ settings: absent }, "REEVE_DATABASE_URL", 'database "not_there" does not exist');

    const nobody = { REEVE_DATABASE_URL: "postgres://reeve:secret@127.0.0.1:9/reeve" };
    const { stderr, code } = await refusedServer(bench, { settings: nobody });
    expect(code).toBe(1);
    expect(stderr).toMatch(/REEVE_DATABASE_URL/);
    expect(stderr).toMatch(/ECONNREFUSED/);
    expect(stderr, "a password is not for the terminal").not.toContain("secret");
  });
});

describe("keys that do not close", () => {
  /** The database stores something else than it was given. */
  test.each([
    ["is not ciphertext", `jsonb_set(new.sealed, '{data}', '"hunter2"')`],
    ["does not open", `jsonb_set(new.sealed, '{wrapped}', new.sealed -> 'data')`],
  ])("when what was stored %s, no server begins, and nothing is left behind", async (words, changed) => {
    const { url, database } = await testDatabase();
    const settings = { REEVE_DATABASE_URL: url };
    await database.query(
      `create function spoil() returns trigger language plpgsql as
       $$ begin new.sealed := ${changed}; return new; end $$`,
    );
    await database.query(
      "create trigger spoil before insert on key_check for each row execute function spoil()",
    );
    await expectRefusal({ settings }, `the self-test of the keys failed: what was stored ${words}`);
    expect(await database.query("select 1 from key_check")).toEqual([]);
    await database.query("drop trigger spoil on key_check");
    const server = await startServer(openBench(onTestFinished), { settings });
    expect(await server.stop()).toEqual({ code: 0, signal: null });
  });
});

test("CockroachDB is no PostgreSQL 13, though it says so: the start goes on to the schema, with each setting that it knows", async () => {
  const claims = {
    version: "CockroachDB CCL v23.2.23 (x86_64-pc-linux-gnu)",
    number: "130000",
    // It knows no such settings; and where the schema begins, what this fake can tell ends.
    refuses: ["set enable_hashjoin", "set jit", "create table"],
  };
  const { url, asked } = await fakePostgres(openBench(onTestFinished), claims);
  const { stderr } = await refusedServer(bench, { settings: { REEVE_DATABASE_URL: url } });
  expect(stderr).toContain("this database cannot be used (the fake refuses: create table");
  expect(stderr).toContain("not tested on CockroachDB");
  const alone = asked.filter((text) => /^set \w+ = \w+$/.test(text));
  expect(alone).toEqual(expect.arrayContaining(["set jit = off", "set enable_seqscan = off"]));
  expect(asked.find((text) => text.includes("enable_multiple_modifications_of_table"))).toMatch(
    /where version\(\) like 'CockroachDB%'$/,
  );
});

async function takenPort(bench: Bench): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  bench.keep({ end: () => void server.close() });
  return `127.0.0.1:${(server.address() as { port: number }).port}`;
}
