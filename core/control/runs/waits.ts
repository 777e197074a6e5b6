import type { Run } from "@reeve/model";
import type { Database } from "@reeve/store";
import { listRuns, type RunFilter, type RunPage, readWaits, type WaitRead } from "@reeve/store/runs";
import { nameOf, whyWaiting } from "./show.ts";

/** A page of runs, and of those that go on what they wait for. */
export async function listRunsNow(
  database: Database,
  filter: RunFilter,
  before: string | undefined,
  limit: number,
): Promise<RunPage> {
  const page = await listRuns(database, filter, before, limit);
  const running = page.items.filter(({ state }) => state === "running").map(({ id }) => id);
  if (running.length === 0) return page;
  const waits = new Map((await readWaits(database, running)).map((row) => [row.run, waitOf(row)]));
  const items = page.items.map((run) => {
    const found = waits.get(run.id);
    return found === undefined ? run : { ...run, waits: found };
  });
  return { ...page, items };
}

/** Without who holds a limit and which agents there are: that is told of one run, not of hundreds at every look. */
function waitOf(row: WaitRead): NonNullable<Run["waits"]> {
  const { seq, definition, state, reason } = row;
  const step = nameOf(row, definition);
  if (state === "ready" || reason === null) return { seq, step, reason: "agent", why: "waits for an agent" };
  return { seq, step, reason, why: whyWaiting(row, definition, "", []) };
}
