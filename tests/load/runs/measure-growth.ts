import { say } from "../measure/progress.ts";
import { spread } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import { startAgent } from "./agent.ts";
import { apply } from "./api.ts";
import { atLeast, type Figure, figure, percent } from "./figures.ts";
import { fillRuns, finishedRuns } from "./fill.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { chainMs } from "./measure-chains.ts";
import { openStamps, type Stamps } from "./measure-starts.ts";
import { manyRate, wideRate } from "./measure-steps.ts";
import type { Site } from "./site.ts";
import { workflows } from "./workflows.ts";

const times = 10;
const keptPercent = 90;

/**
 * The same things on two installations of one Postgres, of which one has ten times as many finished runs, in turns A B B A: how fast
 * the machine is changes by half within minutes, and what it does for the one it does for the other beside it.
 */
export async function measureGrowth(site: Site): Promise<Figure[]> {
  const few = await site.installation();
  await site.agent();
  const many = await startInstallation(site, "grown");
  await apply(many.api, workflows);
  await startAgent(site, many, { name: "one", agentPort: many.replica.agentPort, slots: 1000 });
  const runs = site.quick ? 5_000 : 10_000;
  for (const installation of [few, many]) {
    await wideRate(installation);
    await manyRate(installation, runs);
  }
  const pairs = site.quick ? 3 : 11;
  // As many as make it ten times at the end, when both have had the same windows.
  await fillRuns(many, times * ((await finishedRuns(few.query)) + pairs * runs));
  const sides = [
    { installation: few, stamps: await openStamps(site, few), seen: [] as Seen[] },
    { installation: many, stamps: await openStamps(site, many), seen: [] as Seen[] },
  ] as const;
  // Once for nothing: what a store keeps in memory after it was filled is not what it keeps when it is used.
  for (const { installation, stamps } of sides) await window(installation, stamps, runs);
  for (let turn = 0; turn < pairs; turn++) {
    const order = turn % 2 === 0 ? sides : sides.toReversed();
    for (const { installation, stamps, seen } of order) seen.push(await window(installation, stamps, runs));
    const [one, other] = sides.map(({ seen }) => seen.at(-1) as Seen);
    say(`few runs: ${shown(one as Seen)}; ${times} times: ${shown(other as Seen)}`);
  }
  const had = await Promise.all(sides.map(({ installation }) => finishedRuns(installation.query)));
  await Promise.all(sides.map(({ stamps }) => stamps.end()));
  return [
    figure("finished runs in the one store", had[0] ?? 0, whole),
    figure("  in the other", had[1] ?? 0, whole),
    ...names.map((name) => kept(name, sides[0].seen, sides[1].seen)),
  ];
}

/** Of one window: steps a second, or milliseconds. */
interface Seen {
  readonly wide: number;
  readonly many: number;
  readonly start: number;
  readonly chain: number;
}

const names = ["wide", "many", "start", "chain"] as const;
const isRate = { wide: true, many: true, start: false, chain: false };
const titles = {
  wide: "one run, wide: steps a second",
  many: "runs of one step: steps a second",
  start: "trigger answered to body begun, p50",
  chain: "chain of no-op steps",
};

async function window(installation: Installation, stamps: Stamps, runs: number): Promise<Seen> {
  const wide = await wideRate(installation);
  const many = await manyRate(installation, runs);
  const start = spread(await stamps.delays(40)).median;
  const chains: number[] = [];
  while (chains.length < 5) chains.push(await chainMs(installation, "chain-noop"));
  return { wide, many, start, chain: spread(chains).median };
}

function shown({ wide, many, start, chain }: Seen): string {
  return `${whole(wide)} and ${whole(many)} steps/s, ${ms(start)}, ${ms(chain)}`;
}

/** What of its speed is kept: in the middle one of the pairs. */
function kept(name: (typeof names)[number], few: readonly Seen[], many: readonly Seen[]): Figure {
  const each = few.map((one, at) => {
    const other = many[at] as Seen;
    return 100 * (isRate[name] ? other[name] / one[name] : one[name] / other[name]);
  });
  const found = spread(each);
  return figure(titles[name], found.median, percent, {
    bar: atLeast(found.median, keptPercent, "%"),
    detail: { kept: found, few: few.map((one) => one[name]), many: many.map((one) => one[name]) },
  });
}
