import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { say } from "./progress.ts";

/** What a benchmark has started. All of it is ended by pid and removed: at the end, on failure, on Ctrl-C. */
export interface Premises {
  /** A new temporary folder that other users may pass through: Postgres runs as one of them. */
  folder(): string;
  /** Ends these processes for good when there was no time for an orderly end. */
  lastly(kill: () => void): void;
  /** An orderly way to end something; the last one added is run first. */
  ending(end: () => Promise<void>): () => Promise<void>;
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export async function within<T>(limitMs: number, work: (premises: Premises) => Promise<T>): Promise<T> {
  const folders: string[] = [];
  const kills: (() => void)[] = [];
  const endings: (() => Promise<void>)[] = [];
  let ending: Promise<void> | undefined;

  async function endInOrder(): Promise<void> {
    for (let end = endings.pop(); end !== undefined; end = endings.pop())
      await end().catch((error: unknown) => say(`while ending: ${String(error)}`));
    removeRest();
  }
  /** A signal and the failure it causes both ask for the end: the second waits for the first. */
  const endAll = () => (ending ??= endInOrder());
  function removeRest(): void {
    for (const kill of kills.splice(0)) kill();
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
        lastly: (kill) => void kills.push(kill),
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
