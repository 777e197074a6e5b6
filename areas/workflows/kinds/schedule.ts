import { duration, Fault, nameText } from "@reeve/model";
import { z } from "zod";
import { parseCron } from "./cron.ts";
import { json } from "./words.ts";
import { isZone, zoneOf } from "./zone.ts";

/** What becomes of ticks at which no server was there to fire them. */
const catchUps = ["none", "latest", "all"] as const;

/** A tick that is fired this late is still on time; a later one was missed, and `catchUp` says what becomes of it. */
export const graceMs = 60_000;
/** However many were missed: with `all`, only the newest of them are fired. */
export const catchUpMost = 100;

const moment = z.iso.datetime({ offset: true, error: "write a time as 2026-11-15T08:00:00Z" });

export const scheduleSpec = z.strictObject({
  name: nameText.describe("Names the schedule within its workflow; its past belongs to this name."),
  cron: z
    .string()
    .max(200)
    .superRefine(readable)
    .describe(
      "minute hour day month weekday, or second first; or @hourly, @daily, @weekly, @monthly, @yearly.",
    ),
  timezone: z
    .string()
    .max(64)
    .refine(isZone, { error: "is no IANA time zone; use a name such as UTC or Europe/Berlin" })
    .default("UTC")
    .describe("The IANA time zone whose clock the pattern is about."),
  catchUp: z
    .enum(catchUps)
    .default("latest")
    .describe("Of the ticks missed while no server was up: fire none, the latest, or all (at most 100)."),
  catchUpWithin: duration.default("1d").describe("Ticks missed longer ago than this are never caught up."),
  inputs: z.record(z.string(), json).optional().describe("The inputs of its runs."),
  paused: z
    .boolean()
    .optional()
    .describe("It does not fire. What it would have fired meanwhile is not caught up."),
  from: moment.optional().describe("No tick before this moment."),
  until: moment.optional().describe("No tick at or after this moment."),
});

export type Schedule = z.infer<typeof scheduleSpec>;
/** The part of a schedule that ticks follow from. */
export type Ticking = Pick<Schedule, "cron" | "timezone" | "from" | "until">;

/** The first n ticks after `from`, as times. */
export function nextTicks(schedule: Ticking, from: Date, n: number): Date[] {
  const found: Date[] = [];
  for (const tick of ticksAfter(schedule, from.getTime())) {
    if (found.length === n) break;
    found.push(new Date(tick));
  }
  return found;
}

/** The ticks from `from` until before `until`; a Fault when there are more than `most`. */
export function ticksBetween(schedule: Ticking, from: Date, until: Date, most = 100_000): Date[] {
  const found: Date[] = [];
  for (const tick of ticksAfter(schedule, from.getTime() - 1)) {
    if (tick >= until.getTime()) break;
    if (found.length === most)
      throw new Fault("invalid", `there are more than ${most} ticks in this time`, {
        next: "choose a shorter one",
      });
    found.push(new Date(tick));
  }
  return found;
}

/**
 * Ticks after an instant, oldest first. The rule for changes of the clock:
 * - An hour field of `*` speaks of every hour that passes: a tick is whenever the clock shows a matching time, so twice when it shows
 *   it twice, and not at all when it never does.
 * - Anything else names times of day, and each happens once: of a time shown twice the first is the tick, and times that the clock
 *   leaves out have one tick together, at the moment at which it has gone forward.
 */
export function* ticksAfter(schedule: Ticking, after: number): Generator<number, void> {
  const pattern = parseCron(schedule.cron);
  const zone = zoneOf(schedule.timezone);
  const last = schedule.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(schedule.until) - 1;
  let at = Math.max(after, schedule.from === undefined ? after : Date.parse(schedule.from) - 1);
  // Between changes of the clock: instants and wall times differ by `offset`, and only times after `wall` count.
  let offset = zone.offsetAt(at);
  let wall = at + offset;
  const before = pattern.everyHour ? undefined : zone.changeBetween(at - 2 * 86_400_000, at);
  if (before !== undefined) wall = Math.max(wall, before + zone.offsetAt(before - 1) - 1);
  for (;;) {
    const next = pattern.after(wall);
    if (next === undefined) return;
    const tick = next - offset;
    const change = zone.changeBetween(at, tick);
    if (change === undefined) {
      if (tick > last) return;
      yield tick;
      [at, wall] = [tick, next];
      continue;
    }
    const changed = zone.offsetAt(change);
    const leftOut = !pattern.everyHour && next < change + changed;
    if (leftOut && change <= last) yield change;
    const shown = change + (pattern.everyHour ? changed : Math.max(offset, changed));
    [at, wall, offset] = [change, leftOut ? shown : shown - 1, changed];
  }
}

function readable(text: string, context: z.RefinementCtx): void {
  try {
    parseCron(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
}
