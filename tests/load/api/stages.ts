import { setTimeout as sleep } from "node:timers/promises";
import type { BenchOptions } from "../measure/bench.ts";
import { type CpuShares, countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { type Memory, memoryOf } from "../measure/memory.ts";
import type { Premises } from "../measure/premises.ts";
import { say } from "../measure/progress.ts";
import { whole } from "../measure/table.ts";
import { type AppliesFigures, measureApplies } from "./measure-applies.ts";
import { type LoadFigures, loadPopulation } from "./measure-load.ts";
import { measureReads, type ReadFigures } from "./measure-reads.ts";
import { measureSealing, type SealingFigures } from "./measure-sealing.ts";
import { measureWatches, type WatchFigures } from "./measure-watches.ts";
import { type PostgresFacts, readPostgres } from "./postgres-facts.ts";
import type { ReadKind } from "./reads.ts";
import { startServer } from "./server-under-test.ts";

export const stages = ["reads", "applies", "sealing", "watches", "memory"] as const;

/** Everything measured on one size. What `--only` left out is absent. */
export interface Figures {
  readonly size: number;
  readonly postgres: PostgresFacts;
  readonly load: LoadFigures;
  readonly reads?: Readonly<Record<ReadKind, ReadFigures>>;
  readonly applies?: AppliesFigures;
  readonly sealing?: SealingFigures;
  readonly watches?: { readonly spread: WatchFigures; readonly oneList: WatchFigures };
  readonly memory: { readonly fresh: Memory; readonly loaded: Memory; readonly idle?: Memory };
}

/** What a stage needs to know of the installation and of the time it may take. */
export interface Stage {
  readonly premises: Premises;
  readonly size: number;
  readonly quick: boolean;
  readonly port: number;
  readonly token: string;
  readonly databaseUrl: string;
  /** Begins to count who uses the cores, these generators apart. */
  countCpu(generators: readonly { readonly pid: number }[]): () => CpuShares;
}

const settleMs = 3000;
const idleMs = { full: 60_000, quick: 20_000 };

/**
 * One installation from its first start to its end. Reads come right after the bulk load, before autovacuum has had the
 * time to make statistics: the engine must not depend on them.
 */
export async function measureSize(premises: Premises, size: number, options: BenchOptions): Promise<Figures> {
  const { quick } = options;
  const wanted = (stage: (typeof stages)[number]) =>
    options.only.length === 0 || options.only.includes(stage);
  say(`${whole(size)} resources: starting a server`);
  const server = await startServer(premises, options.profileFolder);
  const stage: Stage = {
    premises,
    size,
    quick,
    port: server.port,
    token: server.token,
    databaseUrl: server.databaseUrl,
    countCpu: (generators) =>
      countCpu({
        server: () => processMs(server.pid),
        postgres: () => familyMs(server.postmasterPid),
        generators: () => generators.reduce((sum, one) => sum + processMs(one.pid), 0),
      }),
  };
  const postgres = await readPostgres(server.databaseUrl);
  await sleep(settleMs);
  const fresh = memoryOf(server.pid);
  const load = await loadPopulation(stage);
  const loaded = memoryOf(server.pid);
  const reads = wanted("reads") ? await measureReads(stage) : undefined;
  const applies = wanted("applies") ? await measureApplies(stage) : undefined;
  const sealing = wanted("sealing") ? await measureSealing(stage) : undefined;
  const watches = wanted("watches") ? await measureWatches(stage) : undefined;
  let idle: Memory | undefined;
  if (wanted("memory")) {
    const waitMs = quick ? idleMs.quick : idleMs.full;
    say(`${whole(size)} resources: idle for ${waitMs / 1000} s`);
    await sleep(waitMs);
    idle = memoryOf(server.pid);
  }
  await server.stop();
  return {
    size,
    postgres,
    load,
    ...(reads && { reads }),
    ...(applies && { applies }),
    ...(sealing && { sealing }),
    ...(watches && { watches }),
    memory: { fresh, loaded, ...(idle && { idle }) },
  };
}
