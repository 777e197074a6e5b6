import { type CpuShares, processMs } from "../measure/cpu.ts";
import { say } from "../measure/progress.ts";
import { spread } from "../measure/quantiles.ts";
import { whole } from "../measure/table.ts";
import { atLeast, type Figure, figure, times } from "./figures.ts";
import type { Installation } from "./installation.ts";
import type { Site } from "./site.ts";
import { wideItems } from "./workflows.ts";

const bulk = 1000;
const againstDbos = 5;

/**
 * No-op steps through the whole path: trigger by the API, store, wire, agent process, durable and fenced accept and finish. Once
 * as one run with a wide fan-out, once as many runs of one step.
 */
export async function measureSteps(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const agent = await site.agent();
  const countCpu = () => installation.countCpu({ agent: () => processMs(agent.pid) });
  const windows = site.quick ? 2 : 7;
  const many = site.quick ? 5_000 : 20_000;
  // Code that nobody has run yet is some times slower.
  await wideRate(installation);
  await manyRate(installation, many);
  const wide = await rate("wide", windows, countCpu, () => wideRate(installation));
  const small = await rate("many", windows, countCpu, () => manyRate(installation, many));
  return [...shown(site, "one run, wide", wide), ...shown(site, "runs of one step", small)];
}

/** Steps a second of one run with a wide fan-out. */
export function wideRate(installation: Installation): Promise<number> {
  return rateOf(installation, wideItems, async () => void (await installation.trigger("wide")));
}

/** Steps a second of so many runs of one step each. */
export function manyRate(installation: Installation, runs: number): Promise<number> {
  return rateOf(installation, runs, async () => {
    for (let at = 0; at < runs; at += bulk) await installation.triggerMany("one", bulk);
  });
}

async function rateOf(installation: Installation, steps: number, begin: () => Promise<void>) {
  const startedAt = performance.now();
  await begin();
  await installation.untilDone();
  return steps / ((performance.now() - startedAt) / 1000);
}

type Rate = Awaited<ReturnType<typeof rate>>;

async function rate(
  name: string,
  windows: number,
  countCpu: () => () => CpuShares,
  window: () => Promise<number>,
) {
  const rates: number[] = [];
  const cpu = countCpu();
  for (let turn = 0; turn < windows; turn++) {
    rates.push(await window());
    say(`${name}: ${whole(rates.at(-1) as number)} steps/s`);
  }
  const shares = cpu();
  // Each window does the same number of steps, so the mean of all is that of their times.
  const overall = windows / rates.reduce((sum, one) => sum + 1 / one, 0);
  return { rates: spread(rates), cpu: shares, costs: costs(shares, overall) };
}

/** Microseconds of a core that one step takes of each: true also on a machine that does other things. */
function costs(shares: CpuShares, perSecond: number) {
  return ["server", "postgres", "agent"].map((name) => ((shares[name] ?? 0) / perSecond) * 1e6);
}

function shown(site: Site, name: string, { rates, cpu, costs }: Rate): Figure[] {
  const dbos = site.peers.dbos?.jobsPerSecond;
  const figures = [figure(`${name}: steps a second`, rates.median, whole, { detail: { rates, cpu } })];
  const sum = costs.reduce((total, cost) => total + cost, 0);
  const parts = costs.map((cost) => Math.round(cost)).join("/");
  figures.push(figure("  CPU of one, us: server/db/agent", sum, () => parts, { detail: costs }));
  if (dbos === undefined) return figures;
  const ratio = rates.median / dbos;
  return [
    ...figures,
    figure("  against DBOS", ratio, times, { bar: atLeast(ratio, againstDbos, "x"), detail: dbos }),
  ];
}
