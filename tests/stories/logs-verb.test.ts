import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AgentProcess, agentProcess } from "../harness/agent-process.ts";
import { password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** docs/logs.md, carried out with the real server, a real agent process and the command line. One story. */
const bench = openBench(afterAll);
const gates = bench.folder();
const gate = (name: string) => join(gates, name);
const waitFor = (name: string) => `while [ ! -e ${gate(name)} ]; do sleep 0.1; done`;
let reeve: Cli;
let server: ServerProcess;
let agent: AgentProcess;

const workflow = (name: string, steps: readonly object[]) =>
  JSON.stringify({
    apiVersion: "reeve/v1",
    kind: "Workflow",
    metadata: { scope: "acme/shop", name },
    spec: { steps },
  });

const flood = 1_000_000_000;
const manifests = [
  JSON.stringify({
    apiVersion: "reeve/v1",
    kind: "Project",
    metadata: { scope: "acme", name: "shop" },
    spec: {},
  }),
  workflow("both", [
    { name: "talk", run: `echo one; echo oops >&2; ${waitFor("talk")}; echo two; printf 'no end'` },
    {
      name: "again",
      run: 'echo "try $REEVE_ATTEMPT"; test "$REEVE_ATTEMPT" = 2',
      retry: { times: 1, delay: "1s" },
    },
  ]),
  workflow("flood", [
    {
      name: "loud",
      run: `head -c ${flood} /dev/zero | tr '\\0' x; touch ${gate("written")}; ${waitFor("quiet")}`,
    },
    {
      name: "quiet",
      needs: [],
      run: `while [ ! -e ${gate("quiet")} ]; do read -r now _ </proc/uptime; echo $now; sleep 0.5; done`,
    },
  ]),
  workflow("dies", [{ name: "long", run: `echo begun; ${waitFor("never")}` }]),
];

beforeAll(async () => {
  const agentPort = await freePort();
  server = await startServer(bench, {
    settings: {
      REEVE_AGENT_LISTEN: `127.0.0.1:${agentPort}`,
      REEVE_HOME_AGENT: "off",
      REEVE_AGENT_LEASE_SECONDS: "6",
    },
  });
  reeve = openCli(bench, { REEVE_SCOPE: "acme/shop" });
  const setup = ["setup", server.setupLink as string, "--user", "ada", "--organization", "acme"];
  await done([...setup, "--password-stdin"], `${password}\n`);
  agent = agentProcess(bench, { name: "box", urls: [`https://127.0.0.1:${agentPort}`] });
  await agent.join((await done(["agent", "token", "--scope", "acme"])).stdout.trim());
  agent.start();
  writeFileSync(join(reeve.home, "all.yaml"), manifests.join("\n---\n"));
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

const begin = async (name: string) => (await done(["run", name])).stdout.trim().slice(-8);
const read = async (...args: string[]) => (await done(["logs", ...args])).stdout;

test("output is there while it is written, of both streams, by step, stream, attempt, offset, time and text", async () => {
  const run = await begin("both");
  const following = reeve.start(["logs", run, "-f"]);
  await until("the first lines", () => /^talk \| one$/m.test(following.stdout()));
  await until("both streams", () => /^talk \| oops$/m.test(following.stdout()));
  expect(following.stdout()).not.toContain("two");
  const onlyErrors = reeve.start(["logs", run, "talk", "--stream", "stderr", "-f"]);
  const fromThere = reeve.start(["logs", run, "talk", "--stream", "stdout", "--offset", "4", "-f"]);
  await until("the line of stderr", () => onlyErrors.stdout() === "oops\n");
  writeFileSync(gate("talk"), "");
  expect(await following.ended).toMatchObject({ code: 0 });
  expect(following.stdout()).toMatch(/talk \| two\n/);
  expect(following.stdout()).toMatch(/talk \| no end\n/);
  expect(following.stdout()).toMatch(/again \| try 1\n(.*\n)*again \| try 2\n/);
  await Promise.all([onlyErrors.ended, fromThere.ended]);
  expect(onlyErrors.stdout()).toBe("oops\n");
  expect(fromThere.stdout()).toBe("two\nno end\n");

  expect(await read(run, "talk", "--stream", "stdout")).toBe("one\ntwo\nno end");
  expect(await read(run, "again")).toBe("try 2\n");
  expect(await read(run, "again", "--attempt", "1")).toBe("try 1\n");
  expect(await read(run, "--grep", "oo")).toBe("talk | oops\n");
  expect(await read(run, "again", "--attempt", "1", "--grep", "try")).toBe("try 1\n");
  expect(await reeve(["logs", run, "--grep", "nowhere"])).toMatchObject({ code: 1, stdout: "" });
  expect(await read(run, "--since", "1h")).toContain("talk | one\n");
  expect(await read(run, "--since", "2100-01-01T00:00:00Z")).toBe("");
  expect((await reeve(["logs", run, "talk", "--offset", "4"])).code).toBe(2);
  await done(["logs", run, "--download", "run.tar"]);
  expect(readFileSync(join(reeve.home, "run.tar")).includes("one\ntwo\nno end")).toBe(true);
});

const uptime = () => Number(readFileSync("/proc/uptime", "utf8").split(" ")[0]);
/** The most that a process ever had. */
const peakMb = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

async function sha256(parts: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function* flooded(): Iterable<Buffer> {
  const block = Buffer.alloc(1_000_000, "x");
  for (let bytes = 0; bytes < flood; bytes += block.length) yield block;
}

test("a step that writes 1 GB hurts neither agent nor server, its neighbour's lines do not wait, and a download is byte for byte what it wrote", async () => {
  const run = await begin("flood");
  const neighbour = reeve.start(["logs", run, "quiet", "-f"]);
  const late: number[] = [];
  neighbour.child.stdout?.on("data", (text: string) => {
    for (const saidAt of text.trim().split("\n")) late.push(uptime() - Number(saidAt));
  });
  await until("the flood to be written", () => existsSync(gate("written")), 150_000);
  const meanwhile = late.toSorted((one, other) => one - other);
  expect(meanwhile.length).toBeGreaterThan(10);
  expect(meanwhile[Math.floor(meanwhile.length / 2)], "half of its lines, in seconds").toBeLessThan(2);
  writeFileSync(gate("quiet"), "");
  await until(
    "the run to end",
    async () => (await done(["runs", "show", run])).stdout.includes("succeeded"),
    120_000,
  );
  expect(await neighbour.ended).toMatchObject({ code: 0 });
  const file = join(reeve.home, "loud");
  await until(
    "all of it",
    async () => {
      await done(["logs", run, "loud", "--stream", "stdout", "--download", file]);
      return statSync(file).size === flood;
    },
    120_000,
  );
  expect(await sha256(createReadStream(file))).toBe(await sha256(flooded()));
  expect(peakMb(agent.pid)).toBeLessThan(200);
  expect(peakMb(server.pid)).toBeLessThan(500);
}, 300_000);

test("what an agent wrote before it died is there, and the log says that it was lost", async () => {
  const run = await begin("dies");
  const following = reeve.start(["logs", run, "-f"]);
  await until("its line", () => following.stdout() === "long | begun\n");
  await agent.crash();
  await until(
    "the note",
    () => following.stderr().includes("long: the agent was lost; the rest may follow"),
    60_000,
  );
  expect(await read(run)).toBe("long | begun\nlong | [reeve: the agent was lost; the rest may follow]\n");
  await done(["cancel", run]);
});
