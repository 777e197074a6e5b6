import { existsSync } from "node:fs";
import { type Attempt, readStop } from "./attempt.ts";
import type { Ending } from "./attempts.ts";
import { endingOf, killedBy } from "./ending.ts";
import { clearGroups, groupsOf, outOfMemory } from "./groups.ts";
import { type Host, markOf } from "./launch.ts";
import { readOutputs } from "./outputs.ts";
import { killMarked } from "./processes.ts";
import { readRecord, type ShimRecord } from "./record.ts";

/** What became of an attempt whose shim is gone. What was stopped, or lost its shim, may have left processes: they go first. */
export async function settle(host: Host, attempt: Attempt): Promise<Ending> {
  const { layout, name } = attempt;
  // What the agent did not stop, its guard may have.
  if (attempt.kept.exclusive) attempt.stop ??= readStop(layout);
  const { stop } = attempt;
  const record = readRecord(layout.record);
  const groups = attempt.limited ? groupsOf(host.groups, name) : [];
  const memory = outOfMemory(groups);
  if (groups.length > 0) await clearGroups(groups);
  if (stop || (record && !record.exit)) await killMarked(markOf(layout));
  if (!record) return neverBegan(attempt);
  if (!record.exit) return withoutExit(attempt, record);
  const outputs = readOutputs(layout.outputs, attempt.hide);
  return endingOf({ record: { ...record, exit: record.exit }, stop, outputs, outOfMemory: memory });
}

function neverBegan({ stop, layout, shimCode }: Attempt): Ending {
  const base = { outcome: "failed", endedAt: new Date(), final: false, ...stop } as const;
  // A shim that ends by itself could not make one of its files.
  if (!existsSync(layout.record) && !shimCode)
    return { why: "the attempt's shim was killed before the body began", ...base };
  const why = "the agent's disk is full: the body did not begin, as how it ends could not be recorded";
  return { why, noRoom: true, ...base };
}

/** The shim was killed together with the body, by us or by somebody. */
function withoutExit({ stop }: Attempt, { startedAt }: ShimRecord): Ending {
  const base = { signal: "SIGKILL", startedAt, endedAt: new Date(), final: false };
  if (stop) return { ...base, outcome: stop.outcome, why: stop.why };
  return {
    ...base,
    outcome: "failed",
    why: `the attempt's shim was ${killedBy("SIGKILL")}, and what was left of it with it`,
  };
}
