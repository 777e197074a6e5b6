import { Fault } from "@reeve/model";
import { Cron } from "croner";

/**
 * A cron pattern over wall clock times, which are written as the UTC time that looks the same: no zone, no gaps, no overlaps. Days
 * are found by croner, times of day here: asking croner for each of a month's minutes would take seconds.
 */
export interface CronPattern {
  /** The first match after this wall time, in ms; undefined when there is none any more. */
  after(wall: number): number | undefined;
  /** The hour field is `*`: it speaks of every hour that passes, not of times of day. */
  readonly everyHour: boolean;
}

const dayMs = 86_400_000;
const nicknames: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};
const timeField = /^(?:\*|\d+(?:-\d+)?)(?:\/\d+)?$/;

/** Reads five fields, or six with seconds first, or a nickname such as @daily. Throws a Fault that says what is wrong. */
export function parseCron(text: string): CronPattern {
  const fields = (nicknames[text.trim()] ?? text).trim().split(/\s+/);
  if (fields.length !== 5 && fields.length !== 6)
    throw bad(`${JSON.stringify(text)} has ${fields.length} fields, not 5, or 6 with seconds first`);
  const [second, minute, hour, ...day] = fields.length === 5 ? ["0", ...fields] : fields;
  const seconds = valuesOf(second as string, 59, "second");
  const minutes = valuesOf(minute as string, 59, "minute");
  const hours = valuesOf(hour as string, 23, "hour");
  const dayFrom = daysOf(day);
  if (dayFrom(0) === undefined) throw bad(`no day of the calendar matches ${JSON.stringify(text)}`);
  return {
    everyHour: hour === "*",
    after(wall) {
      const next = wall + 1000 - modulo(wall, 1000);
      const today = next - modulo(next, dayMs);
      const day = dayFrom(today);
      if (day === undefined) return undefined;
      const time = day > today ? 0 : (next - today) / 1000;
      const found = timeFrom(time, hours, minutes, seconds);
      if (found !== undefined) return day + found * 1000;
      const later = dayFrom(day + dayMs);
      const first = (hours[0] as number) * 3600 + (minutes[0] as number) * 60 + (seconds[0] as number);
      return later === undefined ? undefined : later + first * 1000;
    },
  };
}

/** The first matching second of the day, from this one on. */
function timeFrom(
  from: number,
  hours: readonly number[],
  minutes: readonly number[],
  seconds: readonly number[],
): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= from) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      if (start + 60 <= from) continue;
      const second = seconds.find((one) => start + one >= from);
      if (second !== undefined) return start + second;
    }
  }
  return undefined;
}

function valuesOf(field: string, most: number, name: string): number[] {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    if (!timeField.test(part))
      throw bad(`${JSON.stringify(part)} is no ${name}: write *, 5, 1-5, */10 or a list of these`);
    const [range = "", step = "1"] = part.split("/");
    const [low = 0, high = part.includes("/") ? most : low] =
      range === "*" ? [0, most] : range.split("-").map(Number);
    if (low > high || high > most || Number(step) < 1)
      throw bad(`${JSON.stringify(part)} is no ${name}: they go from 0 to ${most}`);
    for (let value = low; value <= high; value += Number(step)) values.add(value);
  }
  return [...values].sort((a, b) => a - b);
}

const rememberedDays = 1000;

/** Gives the first matching day (its midnight) at or after a midnight; remembers its answers, because it is asked for the same often. */
function daysOf(fields: readonly string[]): (midnight: number) => number | undefined {
  if (fields.some((field) => field.includes("?"))) throw bad("write * instead of ?");
  const cron = readDays(fields);
  const known = new Map<number, number | undefined>();
  return (midnight) => {
    if (known.has(midnight)) return known.get(midnight);
    if (known.size >= rememberedDays) known.clear();
    const day = cron.nextRun(new Date(midnight - 1000))?.getTime();
    known.set(midnight, day);
    return day;
  };
}

function readDays(fields: readonly string[]): Cron {
  try {
    return new Cron(`0 0 0 ${fields.join(" ")}`, { timezone: "UTC", mode: "6-part" });
  } catch (error) {
    throw bad((error as Error).message.replace(/^CronPattern: /, ""));
  }
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

function bad(message: string): Fault {
  return new Fault("invalid", message, {
    next: "write five fields, minute hour day month weekday, such as 30 2 * * 1-5",
  });
}
