import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** docs/runs.md, carried out with the real server, its home agent and the command line. One story. */
const bench = openBench(afterAll);
let server: ServerProcess;
let reeve: Cli;

const manifests = `apiVersion: reeve/v1
kind: Project
metadata: { scope: acme, name: shop }
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: hello }
spec:
  inputs:
    name: { default: world }
    count: { type: integer, default: 1 }
  steps:
    - name: greet
      run: echo "hello \${{ inputs.name }}"
    - name: each
      each: [a, b, c]
      run: echo "\${{ item }}"
---
apiVersion: reeve/v1
kind: Workflow
metadata: { scope: acme/shop, name: release }
spec:
  steps:
    - name: ask
      approve: { text: "release to everybody?", expires: 1h }
    - name: ship
      run: test -e "$HOME_OF_TEST/allowed"
      env: { HOME_OF_TEST: "@home@" }
    - name: elsewhere
      run: echo never
      selector: zone=moon
`;

beforeAll(async () => {
  server = await startServer(bench, { settings: { REEVE_HOME_AGENT: "on" } });
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
  writeFileSync(join(reeve.home, "all.yaml"), manifests.replace("@home@", reeve.home));
  await done(["apply", "-f", "all.yaml"]);
});

async function done(args: readonly string[], stdin?: string): Promise<{ stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await reeve(args, stdin === undefined ? {} : { stdin });
  expect({ code, stderr: code === 0 ? "" : stderr }, `reeve ${args.join(" ")}`).toEqual({
    code: 0,
    stderr: "",
  });
  return { stdout, stderr };
}

const shows = async (run: string, words: RegExp) =>
  until(
    `${words} in reeve runs show`,
    async () => words.test((await done(["runs", "show", run])).stdout),
    30_000,
  );

test("an empty list teaches, a run is begun and followed line by line, and its outcome is the exit code", async () => {
  expect((await done(["runs"])).stderr).toContain("no runs in acme/shop yet: reeve run WORKFLOW");
  const followed = await done(["run", "hello", "-i", "name=ada", "-i", "count=2", "--follow"]);
  expect(followed.stdout).toMatch(/greet {2}succeeded\n.*each\[0\] {2}/s);
  expect(followed.stdout).toMatch(/each\[2\] {2}succeeded/);
  expect(followed.stdout.trimEnd()).toMatch(/run hello {2}succeeded$/);
  writeFileSync(join(reeve.home, "inputs.yaml"), "name: grace\ncount: 3\n");
  const id = (await done(["run", "hello", "-i", "@inputs.yaml"])).stdout.trim();
  await shows(id.slice(-8), /hello \w{8} {2}succeeded/);
  const shown = (await done(["runs", "show", id.slice(-8)])).stdout;
  expect(shown).toContain("inputs: name=grace, count=3");
  expect(shown).toMatch(/✓ each +3\/3/);
  const table = (await done(["runs", "hello"])).stdout.trimEnd().split("\n");
  expect(table).toHaveLength(3);
  expect(Math.max(...table.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(table[1]).toMatch(new RegExp(`^${id.slice(-8)} +hello +succeeded +ada `));
});

test("a mistake is named before anything begins", async () => {
  const wrong = await reeve(["run", "hello", "-i", "count=many"]);
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining("/inputs/count")]);
  expect((await reeve(["run", "nothing"])).code).toBe(5);
  expect((await reeve(["run", "hello", "-i", "name"])).code).toBe(2);
  expect((await reeve(["runs", "show", "zz"])).code).toBe(2);
  expect((await reeve(["cancel"])).code).toBe(2);
  expect((await done(["runs", "hello", "--state", "failed"])).stderr).toContain("no runs in acme/shop match");
});

test("a release waits for an approval, fails, is done over from there, and says what its last step waits for", async () => {
  const id = (await done(["run", "release"])).stdout.trim();
  const run = id.slice(-8);
  await shows(run, /◌ ask +approval pending until .*release to everybody\?/);
  await done(["pause", run]);
  expect((await reeve(["pause", `run/${run}`])).code).toBe(6);
  await done(["resume", run]);
  const approved = await done(["approve", run, "--note", "looked at it"]);
  expect(approved.stderr).toContain(`release ${run} ask approved`);
  await shows(run, /release \w{8} {2}failed/);
  const failed = await reeve(["runs", "show", run, "--follow"]);
  expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/ship {2}failed/)]);
  writeFileSync(join(reeve.home, "allowed"), "");
  await done(["retry", run, "--from-failed"]);
  await shows(run, /○ elsewhere +no connected agent matches zone=moon; 1 agent/);
  await done(["skip", run, "elsewhere", "--as-succeeded"]);
  await shows(run, /release \w{8} {2}succeeded/);
  const audit = (await done(["audit", "--operation", "approve"])).stdout;
  expect(audit).toContain("approve");
});

test("runs are cancelled one by one and by their workflow", async () => {
  const first = (await done(["run", "release"])).stdout.trim().slice(-8);
  await done(["cancel", first, "--why", "wrong day"]);
  await shows(first, /cancelled.*wrong day/);
  await done(["run", "release"]);
  await done(["run", "release"]);
  expect((await done(["cancel", "--workflow", "release"])).stderr).toContain("2 runs cancelled");
  expect((await reeve(["cancel", "--all"])).stderr).toContain("--yes");
  const rejected = (await done(["run", "release"])).stdout.trim().slice(-8);
  await shows(rejected, /approval pending/);
  await done(["reject", rejected, "ask", "--note", "not today"]);
  await shows(rejected, /rejected by user:ada: not today/);
});

test("the inside of the server can be looked at", async () => {
  expect((await done(["debug", "runs"])).stdout).toMatch(/ACCEPTED/);
  expect((await done(["debug", "agents"])).stdout).toMatch(/connected/);
});
