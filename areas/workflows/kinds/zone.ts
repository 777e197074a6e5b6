import { Fault } from "@reeve/model";

const dayMs = 86_400_000;
const rememberedDays = 4000;

/** An IANA time zone, as the offsets of its wall clock from UTC. */
export interface Zone {
  /** How far its wall clock is ahead of UTC at this instant, in ms. */
  offsetAt(instant: number): number;
  /**
   * The first change of the offset after `from` and not after `until`: the first instant with the new one. Two changes that undo each other within
   * a day are not seen; no zone has had such since 1970.
   */
  changeBetween(from: number, until: number): number | undefined;
}

const zones = new Map<string, Zone>();

export function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const zone = openZone(name);
  zones.set(name, zone);
  return zone;
}

/** Names only: an offset such as +02:00 has no rules for summer time, which whoever writes it would miss. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function openZone(name: string): Zone {
  if (!isZone(name))
    throw new Fault("invalid", `${JSON.stringify(name)} is no time zone`, {
      next: "use a name of the IANA list, such as UTC or Europe/Berlin",
    });
  const format = new Intl.DateTimeFormat("en-u-ca-iso8601", {
    timeZone: name,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const midnights = new Map<number, number>();

  function offsetAt(instant: number): number {
    const whole = Math.floor(instant / 1000) * 1000;
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(whole)) part[type] = Number(value);
    const { year = 0, month = 1, day, hour, minute, second } = part;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  }

  /** At midnights of UTC it is asked for again and again. */
  function offsetOfDay(midnight: number): number {
    const known = midnights.get(midnight);
    if (known !== undefined) return known;
    if (midnights.size >= rememberedDays) midnights.clear();
    const offset = offsetAt(midnight);
    midnights.set(midnight, offset);
    return offset;
  }

  function changeBetween(from: number, until: number): number | undefined {
    for (let day = Math.floor(from / dayMs) * dayMs; day < until; day += dayMs) {
      if (offsetOfDay(day) === offsetOfDay(day + dayMs)) continue;
      const change = search(day, day + dayMs);
      if (change > from && change <= until) return change;
    }
    return undefined;
  }

  /** Offsets change at whole seconds. */
  function search(before: number, after: number): number {
    const old = offsetAt(before);
    let [low, high] = [before / 1000, after / 1000];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * 1000) === old) low = middle;
      else high = middle;
    }
    return high * 1000;
  }

  return name === "UTC" ? { offsetAt: () => 0, changeBetween: () => undefined } : { offsetAt, changeBetween };
}
