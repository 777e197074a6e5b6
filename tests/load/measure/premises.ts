import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "./progress.ts";

/** What a benchmark has started. All of it is ended by pid and removed: at the end, on failure, on Ctrl-C. */
export interface Premises {
  /** A new temporary folder that other users may pass through: Postgres runs as one of them. */
  folder(): string;
  /** Ends this process for good when everything else has failed to. */
  keep(child: ChildProcess): void;
  /** An orderly way to end something; the last one added is run first. */
  ending(end: () => Promise<void>): () => Promise<void>;
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export async function within<T>(limitMs: number, work: (premises: Premises) => Promise<T>): Promise<T> {
  const folders: string[] = [];
  const children = new Set<ChildProcess>();
  const endings: (() => Promise<void>)[] = [];

  async function endAll(): Promise<void> {
    for (let end = endings.pop(); end !== undefined; end = endings.pop())
      await end().catch((error: unknown) => say(`while ending: ${String(error)}`));
    removeRest();
  }
  function removeRest(): void {
    for (const child of children) child.kill("SIGKILL");
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  process.on("exit", removeRest);
  for (const [signal, code] of Object.entries(signals))
    process.on(signal, () => {
      say(`${signal}: ending what was started`);
      void endAll().finally(() => process.exit(code));
    });

  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limitMs / 60_000} minutes`)), limitMs);
  });
  try {
    return await Promise.race([
      late,
      work({
        folder() {
          const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
          folders.push(folder);
          chmodSync(folder, 0o711);
          return folder;
        },
        keep(child) {
          children.add(child);
          child.once("exit", () => children.delete(child));
        },
        ending(end) {
          endings.push(end);
          return async () => {
            const at = endings.lastIndexOf(end);
            if (at >= 0) endings.splice(at, 1);
            await end();
          };
        },
      }),
    ]);
  } finally {
    clearTimeout(timer);
    await endAll();
  }
}
