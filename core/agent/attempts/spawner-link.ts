import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";
import type { FromSpawner, ToSpawner } from "./spawner.ts";

export interface SpawnerLink {
  /** Sent with all others of this turn of the loop. */
  send(message: ToSpawner): void;
  /** Resolves when it has done what it was told. */
  close(): Promise<void>;
}

export interface SpawnerEar {
  readonly heard: (message: FromSpawner) => void;
  /** What it started has no parent any more; what it was told to start, and did not answer for, may have begun or not. */
  readonly died: () => void;
}

/**
 * Its heap stays small by itself; a small nursery keeps it so when many steps pass through. Each thread is copied with every start,
 * and it needs no more than one for its own clearing up.
 */
export const spawnerFlags = ["--max-semi-space-size=1", "--v8-pool-size=1"] as const;

/** Starts the spawner, and another whenever it dies; one that cannot even start is tried again each second. */
export function openSpawner({ heard, died }: SpawnerEar): SpawnerLink {
  let waiting: ToSpawner[] = [];
  let open = true;
  let child = begin();

  function begin(): ChildProcess {
    const compiled = getCompileCacheDir();
    const begunAt = performance.now();
    const started = fork(fileURLToPath(import.meta.resolve("./spawner.ts")), [], {
      execArgv: [...spawnerFlags],
      // A compiler for its types would cost it 15 MB.
      env: compiled ? { NODE_COMPILE_CACHE: compiled } : {},
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // A Ctrl-C at a terminal is for the agent alone.
      detached: true,
    });
    started.on("message", (messages: FromSpawner[]) => {
      for (const message of messages) heard(message);
    });
    started.on("error", () => started.kill("SIGKILL") || over());
    started.once("exit", over);

    function over(): void {
      if (!open || child !== started) return;
      setTimeout(again, performance.now() - begunAt < 1000 ? 1000 : 0);
      // Whoever wanted a start hears of it, and asks again.
      waiting = waiting.filter(({ does }) => does !== "start");
      died();
    }
    return started;
  }

  function again(): void {
    if (!open) return;
    child = begin();
    flush();
  }

  function flush(): void {
    if (waiting.length === 0 || !child.connected) return;
    child.send(waiting);
    waiting = [];
  }

  return {
    send(message) {
      if (waiting.push(message) === 1) setImmediate(flush);
    },
    async close() {
      open = false;
      flush();
      if (!child.connected) return;
      const gone = once(child, "exit");
      child.disconnect();
      await gone;
    },
  };
}
