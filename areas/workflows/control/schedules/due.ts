import { parseDuration } from "@reeve/model";
import { catchUpMost, graceMs, type Schedule, ticksAfter } from "../../kinds/index.ts";

export interface Due {
  /** To be fired now, oldest first. */
  readonly fire: readonly number[];
  /** Missed, and left out by the schedule's own rule. */
  readonly leftOut: number;
  readonly next: number | undefined;
}

/**
 * What is to be done now about the ticks from `since` on. Those of the last minute are on time: a server that was restarted fires
 * them all. Older ones were missed, and `catchUp` says which of them are fired all the same. Pure.
 */
export function dueTicks(schedule: Schedule, since: number, now: number): Due {
  const earliest = Math.max(since, now - Math.max(graceMs, parseDuration(schedule.catchUpWithin)));
  // A few more than can be fired: of what lies before, not even the number is of interest.
  const missed: number[] = [];
  const onTime: number[] = [];
  let leftOut = earliest > since ? 1 : 0;
  let next: number | undefined;
  for (const tick of ticksAfter(schedule, earliest - 1)) {
    if (tick > now) {
      next = tick;
      break;
    }
    if (tick >= now - graceMs) onTime.push(tick);
    else if (missed.push(tick) > catchUpMost) {
      missed.shift();
      leftOut++;
    }
  }
  const caughtUp = { none: [], latest: onTime.length > 0 ? [] : missed.slice(-1), all: missed };
  const chosen = caughtUp[schedule.catchUp];
  return { fire: [...chosen, ...onTime], leftOut: leftOut + missed.length - chosen.length, next };
}

export function tickAfter(schedule: Schedule, now: number): number | undefined {
  for (const tick of ticksAfter(schedule, now)) return tick;
  return undefined;
}
