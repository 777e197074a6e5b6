import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRoots } from "../../core/agent/attempts/layout.ts";
import type { Api } from "./api.ts";
import type { Bench } from "./bench.ts";
import { bareEnvironment, type Ended, type Running, root, run, signalPid } from "./processes.ts";

/** An agent that keeps its name and its folder over restarts, as a unit of systemd does. */
export interface AgentProcess {
  readonly name: string;
  readonly data: string;
  readonly pid: number;
  start(): void;
  /** SIGTERM, as a unit of systemd is stopped; how it ended. */
  stop(): Promise<Ended | undefined>;
  /** kill -9 of the agent alone, unless it is dead already: what it runs goes on under its shims. */
  crash(): Promise<void>;
  /** SIGSTOP and SIGCONT: alive, but not there. */
  pause(): void;
  resume(): void;
  hasEnded(): boolean;
  /** Its disk is gone, and with it its identity and all that ran on it, as with the machine itself. Call `join` and `start`. */
  wipe(): Promise<void>;
  join(token: string): Promise<void>;
  said(): string;
}

export interface AgentOptions {
  readonly name: string;
  readonly urls: readonly string[];
  readonly slots?: number;
  readonly data?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** More arguments of `join`. */
  readonly joining?: readonly string[];
  /** More of its environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** What goes before its arguments, to start it in another place (`network.ts`). */
  readonly enter?: readonly string[];
}

const main = join(root, "apps", "agent", "main.js");

/** Not joined yet, and not started. */
export function agentProcess(bench: Bench, options: AgentOptions): AgentProcess {
  const { name, urls, slots = 8, labels = {} } = options;
  const cwd = bench.folder();
  const data = options.data ?? join(cwd, "agent");
  const past: Running[] = [];
  let running: Running | undefined;
  const [program = "", ...before] = [...(options.enter ?? []), process.execPath, main];
  const launch = (args: readonly string[]) =>
    run(program, [...before, ...args, "--data", data], { cwd, env: { ...bareEnvironment, ...options.env } });
  const killNow = () => {
    running?.kill("SIGKILL");
    for (const pid of processesOf(data)) signalPid(pid, "SIGKILL");
  };
  bench.keep({
    killNow,
    async end() {
      killNow();
      await running?.ended;
      rmSync(openRoots(data).memory, { recursive: true, force: true });
    },
  });
  const crash = async () => {
    running?.kill("SIGKILL");
    await running?.ended;
  };
  return {
    name,
    data,
    get pid() {
      if (running === undefined) throw new Error(`${name} was not started`);
      return running.pid;
    },
    start() {
      running = launch(["run", "--slots", String(slots)]);
      past.push(running);
    },
    stop: async () => {
      running?.kill("SIGTERM");
      return running?.ended;
    },
    crash,
    pause: () => running?.kill("SIGSTOP"),
    resume: () => running?.kill("SIGCONT"),
    hasEnded: () => running?.hasEnded() ?? true,
    async wipe() {
      await crash();
      for (const pid of processesOf(data)) signalPid(pid, "SIGKILL");
      for (const entry of readdirSync(data)) rmSync(join(data, entry), { recursive: true, force: true });
    },
    async join(token) {
      const asked = Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]);
      const args = ["join", urls.join(","), "--token", token, "--name", name, ...asked];
      const joining = launch([...args, ...(options.joining ?? [])]);
      if ((await joining.ended).code !== 0) throw new Error(`${name} could not join: ${joining.stderr()}`);
    },
    said: () => past.map((one) => one.stderr()).join("---\n"),
  };
}

/** A join token's text, good for so many agents of the whole installation. */
export async function joinToken(api: Api, name: string, spec: object = {}): Promise<string> {
  const manifest = { apiVersion: "reeve/v1", kind: "JoinToken", metadata: { scope: "", name }, spec };
  const made = await api.call("PUT", `/api/v1/jointokens/${name}`, { body: manifest });
  if (made.status !== 201 && made.status !== 200) throw new Error(`no join token: ${made.text}`);
  const issued = await api.call("POST", `/api/v1/jointokens/${name}/actions/issue`, { body: {} });
  if (issued.status !== 200) throw new Error(`no join token: ${issued.text}`);
  return issued.body.token ?? issued.body.output.token;
}

/** Bodies of an agent's folder, and what they started: they carry where their outputs go. Their shims end with them. */
export function processesOf(data: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => environmentOf(pid).includes(`\0REEVE_OUTPUTS=${data}/`));
}

function environmentOf(pid: number): string {
  const file = `/proc/${pid}/environ`;
  try {
    return existsSync(file) ? `\0${readFileSync(file, "latin1")}` : "";
  } catch {
    return "";
  }
}
