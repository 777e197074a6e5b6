import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./until.ts";

export const root = join(import.meta.dirname, "..", "..");

/** Nothing of the environment that the tests run in reaches what they start. */
export const bareEnvironment = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process of ours with all it has said so far. */
export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
  hasEnded(): boolean;
  kill(signal: NodeJS.Signals): void;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Somebody sits before it and may write more. */
  readonly attended?: boolean;
  readonly uid?: number;
  readonly gid?: number;
}

export function run(program: string, args: readonly string[], options: RunOptions): Running {
  const { stdin, attended, ...rest } = options;
  const child = spawn(program, args, { ...rest, stdio: ["pipe", "pipe", "pipe"] });
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
  });
  // Who reads nothing may have gone by now.
  child.stdin.on("error", () => {});
  if (!attended) child.stdin.end(stdin ?? "");
  let over = false;
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", () => {
      over = true;
    });
    child.on("close", (code, signal) => resolve({ code, signal }));
  });
  return {
    pid: child.pid,
    child,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    ended,
    hasEnded: () => over,
    kill: (signal) => void child.kill(signal),
  };
}

/** Ends a process by its id and waits until it is gone; one that is gone already is fine. */
export async function endPid(pid: number, signal: NodeJS.Signals, withinMs = 20_000): Promise<void> {
  signalPid(pid, signal);
  await until(`process ${pid} to end`, () => !isAlive(pid), withinMs);
}

export function signalPid(pid: number, signal: NodeJS.Signals): void {
  // 0 and less mean groups of processes, among them the one that runs the tests.
  if (!Number.isInteger(pid) || pid <= 1) throw new Error(`${pid} is no process to signal`);
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** A dead process that nobody has collected yet is dead. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
