import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { root } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** examples/README.md, carried out: all of them are applied as they are, and run to their end by the home agent. */
const bench = openBench(afterAll);
let server: ServerProcess;
let reeve: Cli;

async function done(args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await reeve(args, stdin === undefined ? {} : { stdin });
  expect({ code, said: code === 0 ? "" : stdout + stderr }, `reeve ${args.join(" ")}`).toEqual({
    code: 0,
    said: "",
  });
  return stdout;
}

const shown = (run: string) => done(["runs", "show", run]);

beforeAll(async () => {
  server = await startServer(bench, { settings: { REEVE_HOME_AGENT: "on" } });
  reeve = openCli(bench, { REEVE_SCOPE: "acme" });
  const setup = [
    "setup",
    server.setupLink as string,
    "--user",
    "ada",
    "--organization",
    "acme",
    "--password-stdin",
  ];
  await done(setup, `${password}\n`);
  await done(["apply", "-f", join(root, "examples")]);
});

test("the ETL fans out over what it found, and gives the sum back", async () => {
  expect(await done(["run", "etl", "--follow"])).toMatch(
    /extract\[2\] {2}succeeded[\s\S]*run etl {2}succeeded/,
  );
  const [run] = JSON.parse(await done(["runs", "etl", "-o", "json"])).items;
  expect(run.outputs).toEqual({ rows: "orders".length + "customers".length + "returns".length });
});

test("the backup leaves a copy that was read, and nothing half done", async () => {
  const to = bench.folder();
  expect(await done(["run", "backup", "-i", `to=${to}`, "--follow"])).toMatch(/tidy {2}succeeded/);
  const [run] = JSON.parse(await done(["runs", "backup", "-o", "json"])).items;
  expect(run).toMatchObject({ state: "succeeded", outputs: { files: 1 } });
});

test("the runbook waits for a person, who is told what it is about", async () => {
  const run = (await done(["run", "runbook", "-i", "service=shop"])).trim().slice(-8);
  await until("the question", async () => /restart shop\?/.test(await shown(run)), 30_000);
  await done(["approve", run, "--note", "go ahead"]);
  await until("its end", async () => /runbook \w{8} {2}succeeded/.test(await shown(run)), 30_000);
});

test("the health check finds the server well, and is due every minute", async () => {
  expect(await done(["run", "health", "-i", `url=${server.url}/livez`, "--follow"])).toMatch(
    /run health {2}succeeded/,
  );
  expect(await done(["schedule", "list"])).toMatch(/backup +nightly[\s\S]*health +minutely/);
});
