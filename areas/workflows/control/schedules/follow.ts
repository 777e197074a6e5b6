import type { AlsoRows } from "@reeve/control";
import { readNow, type Stored, writeRunKeep } from "@reeve/store";
import type { Schedule, WorkflowSpec } from "../../kinds/index.ts";
import { takeSchedulesOf, writeSchedules } from "../../store/index.ts";
import { tickAfter } from "./due.ts";

/**
 * The rows that follow from a workflow's spec. A schedule that goes on as before keeps its next tick; one that is new, was
 * changed or was paused has its first tick after this moment, so that nothing of the past is ever fired by a change.
 */
export function followSpec({ metadata, spec }: Stored): AlsoRows {
  const { uid, scope, name: workflowName, paused, deletingAt } = metadata;
  const { schedules = [], keep } = spec as unknown as WorkflowSpec;
  return async (sql) => {
    const now = await readNow(sql);
    const before = new Map((await takeSchedulesOf(sql, uid)).map((row) => [row.name, row]));
    const rows = schedules.map((schedule) => {
      const { name } = schedule;
      const rests = paused || deletingAt !== undefined || schedule.paused;
      const was = before.get(name);
      const goesOn = was !== undefined && was.nextAt !== null && ticksAlike(was.spec, schedule);
      const next = rests ? undefined : tickAfter(schedule, now);
      const nextAt = goesOn && !rests ? was.nextAt : next === undefined ? null : new Date(next).toISOString();
      return { name, scope, workflowName, spec: schedule, nextAt };
    });
    await writeSchedules(sql, uid, rows);
    await writeRunKeep(sql, uid, keep);
  };
}

function ticksAlike(a: Schedule, b: Schedule): boolean {
  return a.cron === b.cron && a.timezone === b.timezone && a.from === b.from && a.until === b.until;
}
