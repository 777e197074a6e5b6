import { newUid, type Scope } from "@reeve/model";
import type { EndedRun } from "@reeve/runs";
import { type Message, type NewNotification, notify, type Sql } from "@reeve/store";
import type { Ending } from "../../kinds/index.ts";
import { type FailedStep, failedSteps, keptPromises } from "../../store/index.ts";

const shownSteps = 3;

/** Runs have ended: who is to be told is written down in the transaction of their ends, so that nobody is told of what did not happen. */
export async function tellEnds(sql: Sql, runs: readonly EndedRun[]): Promise<void> {
  const ids = runs.map(({ id }) => id);
  await keptPromises(sql, ids);
  const told = runs.flatMap((run) => {
    const { notify: rules } = run.ending as unknown as Ending;
    const channels = rules.filter(({ on }) => on.includes(run.state)).map(({ channel }) => channel);
    return [...new Set(channels)].map((channel) => ({ run, channel }));
  });
  if (told.length === 0) return;
  const failed = await failedSteps(sql, [...new Set(told.map(({ run }) => run.id))]);
  await notify(
    sql,
    told.map(({ run, channel }) =>
      endOf(
        run,
        channel,
        failed.filter((step) => step.run === run.id),
      ),
    ),
  );
}

function endOf(run: EndedRun, channel: string, failed: readonly FailedStep[]): NewNotification {
  const steps = failed.slice(0, shownSteps).map(({ name, why }) => `${name}: ${why || "failed"}`);
  const more = failed.length > shownSteps ? [`and ${failed.length - shownSteps} more`] : [];
  const log = failed.find(({ began }) => began);
  return notificationOf({
    ...(log && { log: { run: run.id, seq: log.seq, epoch: log.epoch } }),
    run: run.id,
    scope: run.scope,
    name: run.about.name,
    channel,
    event: run.state,
    title: `${run.about.name} ${run.state === "cancelled" || run.state === "skipped" ? `was ${run.state}` : run.state}`,
    lines: [...(run.why && failed.length === 0 ? [run.why] : []), ...steps, ...more],
  });
}

/** What is told of a run, in the same form whatever has happened to it. */
export function notificationOf(told: {
  readonly run: string;
  readonly scope: Scope;
  readonly name: string;
  readonly channel: string;
  readonly event: string;
  readonly title: string;
  readonly lines: readonly string[];
  readonly log?: Message["log"];
}): NewNotification {
  const { run, scope, name, channel, event, title, lines, log } = told;
  return {
    id: newUid(),
    scope,
    channel,
    message: {
      event,
      title: `${scope === "" ? "" : `${scope}: `}${title}`,
      text: [...lines, `reeve logs ${run.slice(-12)}`].join("\n"),
      path: `/runs/${run}`,
      ...(log && { log }),
      about: { kind: "Workflow", scope, name, run },
    },
  };
}
