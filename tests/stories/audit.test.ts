import { createHmac } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { webhookReceiver } from "../../apps/server/testing-receivers.ts";
import { isSigned, type SignedHead } from "../../core/model/audit.ts";
import { testDatabase } from "../../core/store/testing.ts";
import { password, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli, type Said } from "../harness/cli.ts";
import { type PrivatePostgres, startPostgres } from "../harness/private-postgres.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * An auditor at the command line, while somebody else has the database. One story: each test goes on from where the one before
 * has left the world.
 */
const bench = openBench(afterAll);
let postgres: PrivatePostgres;
let server: ServerProcess;
let reeve: Cli;
let headsFile: string;

beforeAll(async () => {
  postgres = await startPostgres(bench);
  headsFile = join(bench.folder(), "heads.jsonl");
  const settings = { REEVE_DATABASE_URL: postgres.url(), REEVE_AUDIT_HEADS_FILE: headsFile };
  server = await startServer(bench, { settings });
  reeve = openCli(bench);
  const setup = [
    "setup",
    server.setupLink ?? "",
    "--user",
    "ada",
    "--password-stdin",
    "--organization",
    "acme",
  ];
  await done(setup, { stdin: `${password}\n` });
  for (const name of ["blog", "shop"]) await apply(name);
});

async function done(args: readonly string[], options?: Parameters<Cli>[1]): Promise<string> {
  const said = await reeve(args, options);
  expect(said.code, `reeve ${args.join(" ")}: ${said.stderr}`).toBe(0);
  return said.stdout;
}

async function apply(name: string): Promise<void> {
  const file = join(reeve.home, `${name}.yaml`);
  writeFileSync(
    file,
    `apiVersion: reeve/v1\nkind: Project\nmetadata: { scope: acme, name: ${name} }\nspec: {}\n`,
  );
  await done(["apply", "-f", file, "--reason", `for ${name}`]);
}

const sealed = () =>
  until("the audit to be sealed", async () => {
    const rows = await postgres.query(
      "select 1 from audit where revision > (select revision from audit_sealed) limit 1",
    );
    return rows.length === 0;
  });

async function revisionOf(name: string): Promise<number> {
  const [row] = await postgres.query<{ revision: string }>("select revision from audit where name = $1", [
    name,
  ]);
  return Number(row?.revision);
}

test("the audit is a table that fits 80 columns, filtered by words one knows, and JSON for programs", async () => {
  const table = await done(["audit", "--kind", "project", "--since", "1h"]);
  const lines = table.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^AGE +OUTCOME +SUBJECT +OPERATION +WHAT +ADDRESS$/);
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/^\S+ +done +user:ada +apply +project\/acme\/shop +\S+$/);
  for (const line of (await done(["audit"])).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  const { items } = JSON.parse(await done(["audit", "list", "--name", "blog", "-o", "json"]));
  expect(items).toMatchObject([
    { reason: "for blog", subject: "user:ada", detail: { changes: [{ pointer: "" }] } },
  ]);
});

test("mistakes are named before anything is asked", async () => {
  const wrong = async (args: string[], what: string) => {
    const said: Said = await reeve(["audit", ...args]);
    expect([said.code, said.stdout]).toEqual([2, ""]);
    expect(said.stderr).toContain(what);
  };
  await wrong(["--since", "yesterday"], "--since takes a time such as 2h");
  await wrong(["--outcome", "maybe"], "--outcome takes done or denied");
  await wrong(["--limit", "0"], "--limit takes a number from 1 to 1000");
  await wrong(["export", "--format", "xml"], "--format takes jsonl or cef");
  await wrong(["verify", "--from", "x"], "give the signed heads as well");
});

test("what nobody has touched is intact: to the server, and to whoever believes only the heads", async () => {
  await sealed();
  const table = await done(["audit", "verify"]);
  expect(table).toMatch(/^acme +3 +\S+ +\d+ +intact$/m);
  expect(table).toMatch(/^the installation +\d+ +\S+ +\d+ +intact$/m);
  await until("heads in the file", () => {
    try {
      return readFileSync(headsFile, "utf8").includes('"organization":"acme"');
    } catch {
      return false;
    }
  });
  expect(await done(["audit", "verify", "--heads", headsFile])).toMatch(/^acme .* intact$/m);
  await writeExport("whole.jsonl");
  const offline = ["audit", "verify", "--heads", headsFile, "--from", "whole.jsonl"];
  // Nobody is asked: it works without a server.
  expect(await done(offline, { env: { REEVE_URL: "http://127.0.0.1:1" } })).toMatch(/^acme .* intact$/m);
});

async function writeExport(name: string): Promise<string[]> {
  const text = await done(["audit", "export"]);
  writeFileSync(join(reeve.home, name), text);
  return text.trimEnd().split("\n");
}

test("an export that was changed, shortened or cut off is found by the heads, with the place", async () => {
  const lines = await writeExport("whole.jsonl");
  const revision = await revisionOf("acme");
  const at = lines.findIndex((line) => JSON.parse(line).revision === revision);
  const verify = async (changed: readonly string[]) => {
    writeFileSync(join(reeve.home, "changed.jsonl"), `${changed.join("\n")}\n`);
    const said = await reeve(["audit", "verify", "--heads", headsFile, "--from", "changed.jsonl"]);
    expect(said.code, said.stdout + said.stderr).toBe(1);
    return said.stdout;
  };
  const eve = lines.with(at, (lines[at] as string).replace('"subject":"user:ada"', '"subject":"user:eve"'));
  expect(await verify(eve)).toContain(
    `acme, revision ${revision}: changed: the record is not as it was sealed`,
  );
  const after = await revisionOf("blog");
  expect(await verify(lines.toSpliced(at, 1))).toMatch(
    new RegExp(`^acme, revision ${after}: removed: records after revision 0 and before this one`, "m"),
  );
  const withoutAcme = lines.filter((line) => JSON.parse(line).organization !== "acme");
  expect(await verify(withoutAcme)).toMatch(/^acme, revision \d+: removed: /m);
});

test("a record changed in the database is found with its revision, and so is a tail that was cut off", async () => {
  const revision = await revisionOf("blog");
  await postgres.query("update audit set reason = 'for me' where revision = $1", [revision]);
  for (const heads of [[], ["--heads", headsFile]]) {
    const said = await reeve(["audit", "verify", ...heads]);
    expect(said.code).toBe(1);
    expect(said.stdout).toMatch(/^acme .* BROKEN$/m);
    expect(said.stdout).toContain(`acme, revision ${revision}: changed: the record is not as it was sealed`);
  }
  await postgres.query("update audit set reason = 'for blog' where revision = $1", [revision]);
  const last = publishedOf("acme");
  for (const table of ["audit", "audit_chain", "audit_head"])
    await postgres.query(`delete from ${table} where organization = 'acme' and revision >= $1`, [last]);
  const said = await reeve(["audit", "verify", "--heads", headsFile]);
  expect(said.code).toBe(1);
  expect(said.stdout).toMatch(
    new RegExp(`^acme, revision ${last}: removed: records after revision \\d+ and up`, "m"),
  );
});

/** The newest revision that a head in the file stands at. */
function publishedOf(organization: string): number {
  const heads = readFileSync(headsFile, "utf8").trimEnd().split("\n");
  const own = heads.map((line) => JSON.parse(line)).filter((head) => head.organization === organization);
  return own.at(-1)?.revision;
}

test("a webhook hears the signed heads as well, with a signature of its own secret", async () => {
  const { url, received } = await webhookReceiver();
  const secret = "a secret for heads";
  const own = openBench(onTestFinished);
  const settings = {
    REEVE_DATABASE_URL: (await testDatabase()).url,
    REEVE_AUDIT_HEADS_WEBHOOK: url,
    REEVE_AUDIT_HEADS_SECRET: secret,
  };
  const other = await startServer(own, { settings });
  await setUp(other.url, other.setupLink);
  const [told] = await until("heads at the webhook", () => received.length > 0 && received);
  const { body, headers } = told as (typeof received)[0];
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const signature = createHmac("sha256", secret).update(signed).digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signature}`);
  const { type, heads } = JSON.parse(body) as { type: string; heads: SignedHead[] };
  expect(type).toBe("audit.heads");
  expect(heads.length).toBeGreaterThan(0);
  expect(heads.map((head) => isSigned(head))).not.toContain(false);
});
