import { startBackground, systemAuthor, type Tools } from "@reeve/control";
import { newUid, showDuration } from "@reeve/model";
import type { RunDraft } from "@reeve/runs";
import { notify, type Sql } from "@reeve/store";
import type { Ending } from "../../kinds/index.ts";
import { type DuePromise, insertLateEvents, insertPromises, takePromises } from "../../store/index.ts";
import { notificationOf } from "./told.ts";

const batch = 100;
const sweepMs = 1000;

/** Runs have been admitted: by when they must have begun and ended is noted with them. */
export async function notePromises(sql: Sql, drafts: readonly RunDraft[]): Promise<void> {
  const rows = drafts.flatMap(({ id: run, scheduledAt, keeps, graph }) => {
    const { notify: rules, startWithinMs, finishWithinMs } = graph.ending as unknown as Ending;
    const channels = rules.filter(({ on }) => on.includes("late")).map(({ channel }) => channel);
    // One that goes on from another has that one's time, which is long past; what it promises counts from its own beginning.
    const since = keeps === undefined ? (scheduledAt ?? null) : null;
    const promised = { run, since, channels: [...new Set(channels)] };
    return [
      ...(startWithinMs === undefined
        ? []
        : [{ ...promised, what: "start" as const, withinMs: startWithinMs }]),
      ...(finishWithinMs === undefined
        ? []
        : [{ ...promised, what: "finish" as const, withinMs: finishWithinMs }]),
    ];
  });
  if (rows.length > 0) await insertPromises(sql, rows);
}

/** Judges promises when their time has come, on any replica, each once. */
export function startJudging(tools: Pick<Tools, "database" | "lane" | "log">): () => Promise<void> {
  return startBackground(tools.log, "late runs", async () => {
    const { taken, late } = await tools.database.transact(async (sql) => {
      const due = await takePromises(sql, batch);
      const broken = due.filter((one) => one.late);
      if (broken.length > 0) await tellLate(sql, broken);
      return { taken: due.length, late: broken };
    });
    if (late.length > 0)
      await tools.lane.submit({
        author: systemAuthor("observed"),
        needs: [],
        decide: () => ({
          writes: [],
          audit: [],
          events: late.map((one) => ({
            uid: one.uid as never,
            tone: "warning",
            reason: "Late",
            message: wordsOf(one),
          })),
        }),
      });
    return taken === batch ? 0 : sweepMs;
  });
}

async function tellLate(sql: Sql, late: readonly DuePromise[]): Promise<void> {
  await insertLateEvents(
    sql,
    late.map((one) => ({ id: newUid(), run: one.run, message: wordsOf(one) })),
  );
  await notify(
    sql,
    late.flatMap((one) =>
      one.channels.map((channel) =>
        notificationOf({
          ...one,
          channel,
          event: "late",
          title: `${one.name} is late`,
          lines: [wordsOf(one)],
        }),
      ),
    ),
  );
}

function wordsOf({ what, withinMs }: DuePromise): string {
  return what === "start"
    ? `no step had begun within ${showDuration(withinMs)}`
    : `it had not ended within ${showDuration(withinMs)}`;
}
