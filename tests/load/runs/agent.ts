import { type ChildProcess, fork, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bareEnvironment, root } from "../../harness/processes.ts";
import type { Installation } from "./installation.ts";
import { joinToken } from "./join.ts";
import type { Site } from "./site.ts";

/** An agent as a process of its own, joined and connected. */
export interface Agent {
  readonly pid: number;
  readonly child: ChildProcess;
  /** The processes that it keeps beside itself: its spawner. */
  family(): number[];
  end(): Promise<void>;
}

export interface AgentOptions {
  readonly name: string;
  /** Of the replica it joins and stays with. */
  readonly agentPort: number;
  readonly slots: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** Another program than the agent's own, that runs the same agent. */
  readonly program?: string;
}

const main = join(root, "apps", "agent", "main.js");
/** As the home agent and the unit of systemd start it. */
const flags = ["--max-semi-space-size=4"];
const connectMs = 30_000;

export async function startAgent(
  site: Site,
  installation: Installation,
  options: AgentOptions,
): Promise<Agent> {
  const { premises, profileFolder } = site;
  const { name, agentPort, slots, labels = {} } = options;
  const data = join(premises.folder(), "agent");
  const token = await joinToken(installation.api, name, 1);
  await joinAs([
    "join",
    `https://127.0.0.1:${agentPort}`,
    ...["--token", token, "--name", name, "--data", data],
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
  ]);
  const profile = profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
  const child = fork(options.program ?? main, ["run", "--data", data, "--slots", String(slots)], {
    env: { ...bareEnvironment, MALLOC_ARENA_MAX: "1" },
    execArgv: [...flags, ...profile],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  premises.lastly(() => child.kill("SIGKILL"));
  const exited = new Promise<void>((done) => child.once("exit", () => done()));
  const end = premises.ending(async () => {
    child.kill("SIGTERM");
    await Promise.race([exited, sleep(10_000, undefined, { ref: false })]);
    child.kill("SIGKILL");
  });
  await untilConnected(installation, name);
  const pid = child.pid as number;
  return { pid, child, family: () => childrenOf(pid), end };
}

function joinAs(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, [main, ...args], {
    env: bareEnvironment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((done, failed) =>
    child.once("close", (code) =>
      code === 0 ? done() : failed(new Error(`the agent could not join: ${said}`)),
    ),
  );
}

async function untilConnected({ query }: Installation, name: string): Promise<void> {
  const connected = "select 1 from agent where name = $1 and state = 'connected'";
  for (let waited = 0; waited < connectMs; waited += 50) {
    if ((await query(connected, [name])).length > 0) return;
    await sleep(50);
  }
  throw new Error(`the agent ${name} was not connected after ${connectMs / 1000} s`);
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(/\s+/).filter(Boolean).map(Number);
}
