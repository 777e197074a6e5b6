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
  const windows = site.quick ? 2 : 3;
  const many = site.quick ? 5_000 : 20_000;
  const wide = await rate(installation, "wide", windows, wideItems, async () => {
    await installation.trigger("wide");
  });
  const small = await rate(installation, "many", windows, many, async () => {
    for (let at = 0; at < many; at += bulk) await installation.triggerMany("one", bulk);
  });
  return [...shown(site, "one run, wide", wide), ...shown(site, "runs of one step", small)];
}

type Rate = Awaited<ReturnType<typeof rate>>;

async function rate(
  installation: Installation,
  name: string,
  windows: number,
  steps: number,
  begin: () => Promise<void>,
) {
  const rates: number[] = [];
  const cpu = installation.countCpu({});
  for (let turn = 0; turn < windows; turn++) {
    const startedAt = performance.now();
    await begin();
    await installation.untilDone();
    rates.push(steps / ((performance.now() - startedAt) / 1000));
    say(`${name}: ${whole(rates.at(-1) as number)} steps/s`);
  }
  return { rates: spread(rates), cpu: cpu() };
}

function shown(site: Site, name: string, { rates, cpu }: Rate): Figure[] {
  const dbos = site.peers.dbos?.jobsPerSecond;
  const figures = [
    figure(`${name}: steps a second`, rates.median, whole, {
      grows: "rate",
      detail: { rates, cpu },
    }),
  ];
  if (dbos === undefined) return figures;
  const ratio = rates.median / dbos;
  return [
    ...figures,
    figure("  against DBOS", ratio, times, { bar: atLeast(ratio, againstDbos, "x"), detail: dbos }),
  ];
}
