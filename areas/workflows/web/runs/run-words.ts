import type { Run } from "@reeve/model";

/** Who or what began a run, as people say it. */
export function causeText({ cause, by, scheduledAt }: Pick<Run, "cause" | "by" | "scheduledAt">): string {
  const who = by.replace(/^[a-z-]+:/, "");
  switch (cause) {
    case "person":
      return `by ${who}`;
    case "schedule":
      return `schedule ${who}${scheduledAt === undefined ? "" : `, for ${new Date(scheduledAt).toLocaleString()}`}`;
    case "webhook":
      return `webhook ${who}`;
    case "run":
      return "by another run";
    case "backfill":
      return `backfill ${who}`;
    case "retry":
      return `retried by ${who}`;
    case "reconciler":
      return "by Reeve";
  }
}

/** Why it is where it is: its own words, or those of the step for which it waits. */
export function whyText({ why, waits }: Pick<Run, "why" | "waits">): string {
  return why || (waits === undefined ? "" : `${waits.step}: ${waits.why}`);
}

/** The end of an id, which is what people say to each other and what the CLI prints. */
export function shortId(id: string): string {
  return id.slice(-8);
}
