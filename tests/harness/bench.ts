import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * What a test has started and made. Everything on the bench goes when the test or the file ends, the last one first, also
 * after a failure; when the whole run is broken off, its processes are at least killed.
 */
export interface Bench {
  /** A temporary folder through which an unprivileged Postgres can pass. */
  folder(name?: string): string;
  /** `killNow` must be synchronous: it is for the case that there is no time left. */
  keep(thing: { end: () => Promise<void> | void; killNow?: () => void }): void;
}

type AtEnd = (cleanup: () => Promise<void>) => void;

/** `openBench(afterAll)` for a file or a suite, `openBench(onTestFinished)` for one test. */
export function openBench(atEnd: AtEnd): Bench {
  const things: Parameters<Bench["keep"]>[0][] = [];
  const killAll = () => {
    for (const thing of things) thing.killNow?.();
  };
  process.once("exit", killAll);
  atEnd(async () => {
    const failures: unknown[] = [];
    for (const thing of things.splice(0).reverse())
      await Promise.resolve()
        .then(thing.end)
        .catch((error: unknown) => failures.push(error));
    process.off("exit", killAll);
    if (failures.length > 0) throw new AggregateError(failures, "could not clean up");
  });
  const bench: Bench = {
    keep: (thing) => void things.push(thing),
    folder(name = "reeve-story-") {
      const folder = mkdtempSync(join(tmpdir(), name));
      chmodSync(folder, 0o711);
      bench.keep({ end: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) });
      return folder;
    },
  };
  return bench;
}
