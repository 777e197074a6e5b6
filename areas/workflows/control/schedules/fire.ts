import { systemAuthor, type Tools } from "@reeve/control";
import { Fault, type JsonObject } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { type EventEntry, readByUid, readNow, type Sql, type Stored } from "@reeve/store";
import { canBegin } from "../../kinds/index.ts";
import {
  claimTicks,
  type Fired,
  listDue,
  noteTrouble,
  type ScheduleRow,
  type Tick,
  takeDue,
  takeOneDue,
  writeFired,
} from "../../store/index.ts";
import { draftRun } from "../draft.ts";
import { dueTicks } from "./due.ts";

const batch = 100;

/**
 * Fires what is due, in one transaction: the ticks, their runs and the time of the next. Any replica may; a row that another one
 * holds is its own. Time is the database's, so the clocks of replicas do not matter. Says how many schedules it dealt with.
 */
export async function fireDue(tools: Firing): Promise<number> {
  try {
    return await fire(tools, (sql) => takeDue(sql, batch));
  } catch (error) {
    tools.log.debug({ err: error }, "schedules could not be fired together; trying each by itself");
    return fireEach(tools);
  }
}

type Firing = Pick<Tools, "database" | "runs" | "lane" | "log">;

const failed = "it could not be fired and is tried again; the server's log says why";

/** One of them is to blame: it keeps nobody else from their time, stays due, and says so. */
async function fireEach(tools: Firing): Promise<number> {
  let fired = 0;
  let trouble: unknown;
  for (const row of await listDue(tools.database, batch))
    try {
      fired += await fire(tools, (sql) => takeOneDue(sql, row));
    } catch (error) {
      trouble = error;
      const uid = row.workflow as EventEntry["uid"];
      const message = `schedule ${row.name}: ${failed}`;
      if (!(await noteTrouble(tools.database, row, failed))) continue;
      tools.log.error(
        { err: error, workflow: row.workflow, schedule: row.name },
        "a schedule cannot be fired",
      );
      await tell(tools, [{ uid, tone: "warning", reason: "NotFired", message }]);
    }
  // With nothing else to do the next try can wait.
  if (fired === 0 && trouble !== undefined) throw trouble;
  return fired;
}

async function fire(tools: Firing, take: (sql: Sql) => Promise<ScheduleRow[]>): Promise<number> {
  const done = await tools.database.transact(async (sql) => {
    const rows = await take(sql);
    if (rows.length === 0) return { rows: 0, events: [] };
    const now = await readNow(sql);
    const plans = await Promise.all(
      rows.map(async (row) => plan(row, await readByUid(sql, row.workflow), now)),
    );
    const made = await carryOut(tools, sql, plans);
    await writeFired(
      sql,
      plans.map(({ fired, drafts }) => ({ ...fired, ...lastOf(drafts, made) })),
    );
    return { rows: rows.length, events: plans.flatMap((one) => one.events) };
  });
  if (done.rows > 0) tools.runs.wake();
  if (done.events.length > 0) await tell(tools, done.events);
  return done.rows;
}

interface Plan {
  readonly drafts: readonly { readonly tick: Tick; readonly draft: RunDraft }[];
  /** The last run is known only when its tick was claimed. */
  readonly fired: Omit<Fired, "lastAt" | "lastRun">;
  readonly events: readonly EventEntry[];
}

/** What becomes of one schedule now. A mistake in one must not keep the others from their time. */
function plan(row: ScheduleRow, workflow: Stored | undefined, now: number): Plan {
  const { workflow: uid, name, spec: schedule } = row;
  const { fire, leftOut, next } = dueTicks(schedule, Date.parse(row.nextAt as string), now);
  const nextAt = next === undefined ? null : new Date(next).toISOString();
  const fired = { workflow: uid, name, nextAt, trouble: "" };
  // What was paused or is going has had its row changed, or is about to.
  if (workflow === undefined || !canBegin(workflow).yes) return { drafts: [], fired, events: [] };
  const events: EventEntry[] = [];
  const warn = (reason: string, message: string) =>
    events.push({ uid: workflow.metadata.uid, tone: "warning", reason, message });
  if (leftOut > 0)
    warn(
      "TicksMissed",
      `schedule ${name}: ticks were missed while no server was up, and left out (catchUp: ${schedule.catchUp})`,
    );
  try {
    const drafts = fire.map((time) => {
      const tick = new Date(time).toISOString();
      const inputs = schedule.inputs as JsonObject | undefined;
      const draft = draftRun(workflow, { inputs, cause: "schedule", by: name, scheduledAt: tick });
      return { tick: { workflow: uid, schedule: name, tick, run: draft.id }, draft };
    });
    return { drafts, fired, events };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    warn("NotFired", `schedule ${name}: ${error.message}`);
    return { drafts: [], fired: { ...fired, trouble: error.message }, events };
  }
}

/** Gives back the runs that were made. */
async function carryOut(
  { runs }: Pick<Tools, "runs">,
  sql: Sql,
  plans: readonly Plan[],
): Promise<ReadonlySet<string>> {
  const all = plans.flatMap((one) => one.drafts);
  if (all.length === 0) return new Set();
  const mine = await claimTicks(
    sql,
    all.map((one) => one.tick),
  );
  await runs.admit(
    sql,
    all.flatMap(({ draft }) => (mine.has(draft.id) ? [draft] : [])),
  );
  return mine;
}

/** Only of runs that were made: a tick that a backfill has claimed has its run from there. */
function lastOf(drafts: Plan["drafts"], made: ReadonlySet<string>): Pick<Fired, "lastAt" | "lastRun"> {
  const last = drafts.findLast(({ draft }) => made.has(draft.id));
  return { lastAt: last?.tick.tick ?? null, lastRun: last?.draft.id ?? null };
}

async function tell({ lane }: Pick<Tools, "lane">, events: readonly EventEntry[]): Promise<void> {
  await lane.submit({
    author: systemAuthor("observed"),
    needs: [],
    decide: () => ({ writes: [], audit: [], events }),
  });
}
