import { meanMs, packUsage, sampleMs } from "@reeve/model";
import type { Database } from "@reeve/store";
import { agentsToFold, readHour, type UsageWindow, writeUsage } from "@reeve/store/usage";
import { startBackground } from "../background.ts";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";
import { openGrid } from "./grid.ts";

const hourMs = 3_600_000;
/** An agent that was away tells of the last hour: only then an hour is complete. */
const lateMs = hourMs + 2 * meanMs;
const keptMs = 24 * hourMs;
const restMs = 60_000;
/** Few at once, so that nobody waits for it. */
const atOnce = 20;

/** Makes means of five minutes from the samples of each hour, one row for a host and hour, on the replica that holds the first bucket. */
export function startFolding(database: Database, leases: Leases, log: Log): () => Promise<void> {
  let hour = Math.floor((Date.now() - keptMs) / hourMs) * hourMs;
  return startBackground(log, "means of what is used", async () => {
    if (!leases.mine.includes(0) || hour + hourMs + lateMs > Date.now()) return restMs;
    if (!(await foldSome(database, hour))) hour += hourMs;
    return 20;
  });
}

/** False when all of that hour has been done. */
export async function foldSome(database: Database, hour: number): Promise<boolean> {
  const agents = await agentsToFold(database, hour, atOnce);
  for (const agent of agents)
    await writeUsage(database, meanMs, [meansOf(hour, await readHour(database, agent, hour))]);
  return agents.length > 0;
}

/** The windows of one agent within an hour as one window of means. */
function meansOf(fromMs: number, windows: readonly UsageWindow[]): UsageWindow {
  const grids = new Map<string, ReturnType<typeof openGrid>>();
  for (const window of windows)
    for (const { uid, series } of window.of) {
      const grid = grids.get(uid) ?? openGrid({ fromMs, stepMs: meanMs, count: hourMs / meanMs });
      grids.set(uid, grid);
      grid.add(series, window.fromMs, sampleMs);
    }
  const of = [...grids].map(([uid, grid]) => ({ uid, series: packUsage(grid.series()) }));
  return { agent: windows[0]?.agent ?? "", fromMs, of };
}
