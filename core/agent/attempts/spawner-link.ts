import { type ChildProcess, fork } from "node:child_process";
import { getCompileCacheDir } from "node:module";
import { fileURLToPath } from "node:url";
import type { FromSpawner, ToSpawner } from "./spawner.ts";

export interface SpawnerLink {
  /** Sent with all others of this turn of the loop. */
  send(message: ToSpawner): void;
  /** For tests. */
  readonly pid: number | undefined;
  close(): void;
}

export interface SpawnerEar {
  readonly heard: (message: FromSpawner) => void;
  /** What it was doing is unknown, and what it started has no parent any more. A new one is there before this is called. */
  readonly died: () => void;
}

/** Starts the spawner, and another whenever it dies. */
export function openSpawner({ heard, died }: SpawnerEar): SpawnerLink {
  let waiting: ToSpawner[] = [];
  let open = true;
  let child = begin();

  function begin(): ChildProcess {
    const compiled = getCompileCacheDir();
    const started = fork(fileURLToPath(import.meta.resolve("./spawner.ts")), [], {
      // Its heap stays small by itself; a small nursery keeps it so when many steps pass through.
      execArgv: ["--max-semi-space-size=1"],
      // A compiler for its types would cost it 15 MB.
      env: compiled ? { NODE_COMPILE_CACHE: compiled } : {},
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      // A Ctrl-C at a terminal is for the agent alone.
      detached: true,
    });
    started.on("message", (messages: FromSpawner[]) => {
      for (const message of messages) heard(message);
    });
    started.on("error", () => started.kill("SIGKILL"));
    started.on("exit", () => {
      if (!open) return;
      child = begin();
      died();
    });
    return started;
  }

  return {
    send(message) {
      if (waiting.push(message) > 1) return;
      setImmediate(() => {
        const messages = waiting;
        waiting = [];
        if (child.connected) child.send(messages);
      });
    },
    get pid() {
      return child.pid;
    },
    close() {
      open = false;
      if (child.connected) child.disconnect();
    },
  };
}
