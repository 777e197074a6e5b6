import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@reeve/model";
import { onTestFinished } from "vitest";
import { type AttemptKey, keyText } from "../attempt-key.ts";
import type { Executor, InnerBody, ProcessBody } from "../executor.ts";
import { openLease } from "../link/lease.ts";
import { type Attempts, type Ending, openAttempts, type StartOrder } from "./attempts.ts";
import { openRoots } from "./layout.ts";
import { killMarked } from "./processes.ts";

/** Runs what a test says: `with` is the body. */
const plain: Executor = {
  name: "plain",
  available: async () => true,
  prepare: async ({ with: body }) => ({ does: "process", env: {}, ...body }) as ProcessBody,
};

export function insideExecutor(run: InnerBody["run"]): Executor {
  return { name: "inside", available: async () => true, prepare: async () => ({ does: "inside", run }) };
}

let runs = 0;

/** A step of a run of its own. */
export function orderOf(body: Partial<ProcessBody> & JsonObject, more: Partial<StartOrder> = {}): StartOrder {
  const names = { scope: "acme", workflow: "nightly", step: "load", executor: "plain" };
  return {
    run: `run-${++runs}`,
    seq: 1,
    epoch: 1,
    number: 1,
    exclusive: false,
    hide: [],
    with: body,
    ...names,
    ...more,
  };
}

export function script(text: string): { argv: string[] } {
  return { argv: ["/bin/sh", "-c", text] };
}

export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "reeve-attempts-"));
  chmodSync(folder, 0o711);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface TestAttempts extends Attempts {
  readonly folder: string;
  /** Resolves when it has ended. */
  ended(key: AttemptKey): Promise<Ending>;
  readonly endings: Map<string, Ending>;
  run(order: StartOrder): Promise<Ending>;
  /** A file of the attempt. */
  read(key: AttemptKey, file: string): string;
}

export async function openTestAttempts(folder = testFolder(), executors = [plain]): Promise<TestAttempts> {
  const endings = new Map<string, Ending>();
  const waiting = new Map<string, (ending: Ending) => void>();
  keepLease(folder, 600_000);
  const attempts = openAttempts({
    folder,
    executors,
    slots: 400,
    onEnd(key, ending) {
      endings.set(keyText(key), ending);
      waiting.get(keyText(key))?.(ending);
    },
  });
  onTestFinished(async () => {
    const marks = attempts
      .held()
      .map(({ key }) => `REEVE_OUTPUTS=${join(folder, "attempts", keyText(key), "outputs")}`);
    await attempts.close();
    await Promise.all(marks.map(killMarked));
    rmSync(openRoots(folder).memory, { recursive: true, force: true });
  });
  await attempts.adopt();
  const ended = (key: AttemptKey) => {
    const known = endings.get(keyText(key));
    return known
      ? Promise.resolve(known)
      : new Promise<Ending>((resolve) => waiting.set(keyText(key), resolve));
  };
  return {
    ...attempts,
    folder,
    endings,
    ended,
    async run(order) {
      await attempts.start(order);
      return ended(order);
    },
    read: (key, file) => readFileSync(join(folder, "attempts", keyText(key), file), "utf8"),
  };
}

/** As if a beat were heard now. */
export function keepLease(folder: string, leaseMs: number): void {
  const lease = openLease(openRoots(folder).lease);
  lease.sent(1n);
  lease.heard(1n, leaseMs);
}

/** Another process that holds attempts, to be killed; see testing-agent.ts. */
export async function forkAgent(folder: string, leaseMs = 600_000): Promise<ChildProcess> {
  keepLease(folder, leaseMs);
  const child = fork(fileURLToPath(import.meta.resolve("./testing-agent.ts")), [folder]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "message");
  return child;
}

export async function startIn(agent: ChildProcess, order: StartOrder): Promise<void> {
  agent.send(order);
  await once(agent, "message");
}

export async function killHard(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

export function pidIn(file: string): number {
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
}

/** Command lines of all processes, by their ids. */
export function commandLines(): Map<number, string> {
  const lines = new Map<number, string>();
  for (const name of readdirSync("/proc"))
    if (/^\d+$/.test(name))
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim();
        lines.set(Number(name), line);
      } catch {
        // It has ended meanwhile.
      }
  return lines;
}

export function lives(pid: number): boolean {
  return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
}
