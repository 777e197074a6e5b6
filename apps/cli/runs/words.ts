import { type Run, showDuration } from "@reeve/model";

/** How people name a run: the end of its id, which is random. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** How long something has taken, or takes: `0.8s`, `12m`; nothing when it has not begun. */
export function took(startedAt: string | undefined, endedAt: string | undefined, now: number): string {
  if (startedAt === undefined) return "";
  const ms = Math.max(0, (endedAt === undefined ? now : Date.parse(endedAt)) - Date.parse(startedAt));
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)}s` : showDuration(ms);
}

export function stateWords(run: Pick<Run, "state" | "paused" | "cancelling">): string {
  if (run.cancelling) return "cancelling";
  return run.paused ? "paused" : run.state;
}

/** The first line of everything that shows a run. */
export function headOf(run: Run, now: number): string {
  const duration = took(run.startedAt, run.endedAt, now);
  const parts = [`${run.about.name} ${shortId(run.id)}`, stateWords(run)];
  if (duration !== "") parts.push(duration);
  if (run.why !== "") parts.push(run.why);
  return parts.join("  ");
}

/** Scripts go by it: 0 only when the run has succeeded. */
export function outcomeCode(run: Run): number {
  return run.state === "succeeded" ? 0 : 1;
}
