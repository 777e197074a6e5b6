import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "../engine/container.ts";
import type { Engine } from "../engine/engine.ts";
import type { OwnContainers } from "../own.ts";
import type { LogStore, Source } from "./log-store.ts";

/** What no event was heard of is looked for so often. */
const sweepMs = 60_000;
const pruneMs = 3_600_000;
/** A container that floods must not take the host's processor: the engine keeps what waits. */
const bytesPerMs = 4096;

/** Follows the log of every container that Reeve keeps, and goes on where it was after any restart. */
export function collectLogs(engine: Engine, own: OwnContainers, store: LogStore): { close(): Promise<void> } {
  const closing = new AbortController();
  const following = new Map<string, Promise<void>>();
  let looking: Promise<void> | undefined;
  const asked = new Set<string | undefined>();

  async function follow(container: Container, service: string): Promise<void> {
    const source: Source = { name: container.name, id: container.id.slice(0, 12) };
    const after = await store.last(service, source);
    for await (const lines of engine.followLog(container, after, closing.signal)) {
      await store.append(service, source, lines);
      const bytes = lines.reduce((sum, { text }) => sum + text.length, 0);
      if (bytes > bytesPerMs) await sleep(bytes / bytesPerMs, undefined, { signal: closing.signal });
    }
  }

  /** One that has ended may have said something since; one that runs is followed. */
  async function look(): Promise<void> {
    const projects = [...asked];
    asked.clear();
    for (const { container, service } of await own()) {
      const { id, state, project } = container;
      const hasNews = projects.includes(undefined) || projects.includes(project);
      if (closing.signal.aborted || following.has(id) || !(hasNews || state === "running")) continue;
      const followed = follow(container, service)
        // Away, or its driver keeps nothing: tried again with the next event or sweep.
        .catch(() => undefined)
        .finally(() => following.delete(id));
      following.set(id, followed);
    }
  }

  function ask(project: string | undefined): void {
    asked.add(project);
    looking ??= look()
      .catch(() => undefined)
      .finally(() => {
        looking = undefined;
        if (asked.size > 0 && !closing.signal.aborted) ask([...asked][0]);
      });
  }

  const watching = engine.watch(ask);
  const sweeping = setInterval(() => ask(undefined), sweepMs).unref();
  const pruning = setInterval(() => void store.prune().catch(() => undefined), pruneMs).unref();
  return {
    async close() {
      clearInterval(sweeping);
      clearInterval(pruning);
      watching.close();
      closing.abort();
      await looking;
      await Promise.all(following.values());
    },
  };
}
