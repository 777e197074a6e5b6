import { setTimeout as sleep } from "node:timers/promises";
import type { CpuShares } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { type Quantiles, quantiles } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import type { ChangesResult } from "./changes.ts";
import { openConnection, readJson, requestText } from "./http-connection.ts";
import { collectionPath, projectCount } from "./population.ts";
import type { Stage } from "./stages.ts";
import type { WatchersResult } from "./watchers.ts";

export interface WatchFigures {
  readonly watchers: number;
  readonly connectedPerSecond: number;
  readonly changes: number;
  /** The changes were cut off: the figures are of those sent until then. */
  readonly overloaded: boolean;
  /** From just before the apply was sent, and from its answer, which may come after the event. */
  readonly fromSentMs: Quantiles;
  readonly fromAnsweredMs: Quantiles;
  /** How long the apply itself took meanwhile. */
  readonly applyMs: Quantiles;
  /** How late, at worst, an apply was sent. */
  readonly latestMs: number;
  readonly missing: number;
  readonly outOfOrder: number;
  readonly ended: number;
  readonly cpu: CpuShares;
}

const watcherCount = 1000;
const perSecond = 100;
/** What has not arrived so long after the last answer is missing. */
const patienceMs = 5000;

export async function measureWatches(stage: Stage): Promise<{ spread: WatchFigures; oneList: WatchFigures }> {
  const perProject = Array<number>(projectCount).fill(watcherCount / projectCount);
  const spread = await measure(stage, "all", perProject);
  const oneList = await measure(stage, "first", [watcherCount]);
  return { spread, oneList };
}

async function measure(
  stage: Stage,
  projects: "all" | "first",
  perProject: readonly number[],
): Promise<WatchFigures> {
  const { premises, port, token, size, quick } = stage;
  const since = await revision(port, token);
  const connecting = performance.now();
  const watchers = await startGenerator(premises, "watchers", { port, token, perProject, since });
  const connectedPerSecond = watcherCount / ((performance.now() - connecting) / 1000);
  const changes = await startGenerator(premises, "changes", { port, token, size });
  // A short run first, so that neither side is measured cold; its numbers begin elsewhere.
  await changes.window({ perSecond, seconds: 2, projects, firstNumber: 1_000_000 });
  await sleep(1000);
  const seconds = quick ? 5 : 15;
  const each = projects === "all" ? watcherCount / projectCount : watcherCount;
  await watchers.window({ expected: perSecond * seconds * each + 1000 });
  const cpu = stage.countCpu([watchers, changes]);
  const sent = await changes.window({ perSecond, seconds, projects, firstNumber: 0 });
  const used = cpu();
  const expected = sent.sentAt.length * each;
  const arrived = await allArrivals(watchers, expected);
  await Promise.all([watchers.end(), changes.end()]);
  const figures: WatchFigures = {
    watchers: watcherCount,
    connectedPerSecond,
    changes: sent.sentAt.length,
    overloaded: sent.sentAt.length < perSecond * seconds,
    ...delays(sent, arrived),
    latestMs: sent.latestMs,
    missing: expected - arrived.numbers.length,
    outOfOrder: arrived.outOfOrder,
    ended: arrived.ended,
    cpu: used,
  };
  const { p50, p99, max } = figures.fromSentMs;
  const where = projects === "all" ? "on 50 lists" : "on one list";
  say(
    `${whole(size)} resources: ${watcherCount} watchers ${where}: p50 ${ms(p50)}, p99 ${ms(p99)}, max ${ms(max)}` +
      (figures.overloaded ? ", OVERLOADED" : "") +
      (figures.missing > 0 ? `, ${figures.missing} MISSING` : ""),
  );
  return figures;
}

async function allArrivals(
  watchers: { window(input: "arrivals"): Promise<WatchersResult | undefined> },
  expected: number,
): Promise<WatchersResult> {
  for (const deadline = performance.now() + patienceMs; ; await sleep(250)) {
    const arrived = (await watchers.window("arrivals")) as WatchersResult;
    if (arrived.numbers.length >= expected || performance.now() > deadline) return arrived;
  }
}

function delays({ sentAt, answeredAt }: ChangesResult, { numbers, arrivedAt }: WatchersResult) {
  const since = (times: Float64Array) =>
    arrivedAt.map((at, index) => at - (times[numbers[index] as number] as number));
  return {
    fromSentMs: quantiles(since(sentAt)),
    fromAnsweredMs: quantiles(since(answeredAt)),
    applyMs: quantiles(answeredAt.map((at, index) => at - (sentAt[index] as number))),
  };
}

async function revision(port: number, token: string): Promise<number> {
  const connection = await openConnection(port);
  const answer = await connection.send(
    requestText({ method: "GET", path: `${collectionPath(0)}?limit=1`, token }),
  );
  connection.close();
  return (readJson(answer) as { revision: number }).revision;
}
