import type { CpuShares } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { type Spread, spread } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import type { AppliesResult } from "./applies.ts";
import type { Stage } from "./stages.ts";

export interface AppliesFigures {
  readonly appliesPerSecond: Spread;
  readonly rawPerSecond: Spread;
  /** Each apply window over the raw window just before it. */
  readonly ratio: Spread;
  readonly windows: readonly {
    readonly raw: { readonly perSecond: number; readonly cpu: CpuShares };
    readonly applies: AppliesResult & { readonly cpu: CpuShares };
  }[];
}

const connections = 16;
const windows = 3;

/** Applies and raw commits in turn on the same database, so that both meet the same machine. */
export async function measureApplies(stage: Stage): Promise<AppliesFigures> {
  const { premises, port, token, size, databaseUrl, quick } = stage;
  const raw = await startGenerator(premises, "rawCommits", { url: databaseUrl, connections });
  const applies = await startGenerator(premises, "applies", { port, token, connections, size, firstTurn: 0 });
  const seconds = quick ? 3 : 8;
  await raw.window({ seconds: 1 });
  await applies.window({ seconds: 2 });
  const done: AppliesFigures["windows"][number][] = [];
  for (let turn = 0; turn < windows; turn++) {
    const rawCpu = stage.countCpu([raw]);
    const rawDone = { ...(await raw.window({ seconds })), cpu: rawCpu() };
    const cpu = stage.countCpu([applies]);
    const appliesDone = { ...(await applies.window({ seconds })), cpu: cpu() };
    done.push({ raw: rawDone, applies: appliesDone });
    const { p50, p99 } = appliesDone.latencyMs;
    say(
      `${whole(size)} resources: ${whole(appliesDone.perSecond)} applies/s (p50 ${ms(p50)}, p99 ${ms(p99)}), ${whole(rawDone.perSecond)} raw commits/s`,
    );
  }
  await Promise.all([raw.end(), applies.end()]);
  return {
    appliesPerSecond: spread(done.map((one) => one.applies.perSecond)),
    rawPerSecond: spread(done.map((one) => one.raw.perSecond)),
    ratio: spread(done.map((one) => one.applies.perSecond / one.raw.perSecond)),
    windows: done,
  };
}
