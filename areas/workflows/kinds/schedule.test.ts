import { Cron } from "croner";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCron } from "./cron.ts";
import { nextTicks, scheduleSpec, type Ticking, ticksBetween } from "./schedule.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

function shown(schedule: Ticking, from: string, n: number): string[] {
  return nextTicks(schedule, new Date(from), n).map((tick) => tick.toISOString().replace(":00.000Z", "Z"));
}

test("a time of day that the clock leaves out has its tick when the clock has gone forward, once", () => {
  const berlin = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
  expect(shown(berlin, "2026-03-28T00:00:00Z", 3)).toEqual([
    "2026-03-28T01:30Z",
    "2026-03-29T01:00Z",
    "2026-03-30T00:30Z",
  ]);
  const often = { cron: "*/10 2,4 * * *", timezone: "Europe/Berlin" };
  expect(shown(often, "2026-03-29T00:00:00Z", 3)).toEqual([
    "2026-03-29T01:00Z",
    "2026-03-29T02:00Z",
    "2026-03-29T02:10Z",
  ]);
});

test("a time of day that the clock shows twice has one tick, at the first", () => {
  const berlin = { cron: "30 2 * * *", timezone: "Europe/Berlin" };
  expect(shown(berlin, "2026-10-24T12:00:00Z", 2)).toEqual(["2026-10-25T00:30Z", "2026-10-26T01:30Z"]);
  // Also for somebody who asks in between.
  expect(shown(berlin, "2026-10-25T00:45:00Z", 1)).toEqual(["2026-10-26T01:30Z"]);
  expect(shown(berlin, "2026-10-25T01:15:00Z", 1)).toEqual(["2026-10-26T01:30Z"]);
});

test("every hour is every hour that passes", () => {
  const hourly = { cron: "15 * * * *", timezone: "Europe/Berlin" };
  expect(shown(hourly, "2026-03-29T00:00:00Z", 3)).toEqual([
    "2026-03-29T00:15Z",
    "2026-03-29T01:15Z",
    "2026-03-29T02:15Z",
  ]);
  expect(shown(hourly, "2026-10-25T00:00:00Z", 3)).toEqual([
    "2026-10-25T00:15Z",
    "2026-10-25T01:15Z",
    "2026-10-25T02:15Z",
  ]);
});

test("half an hour at Lord Howe, a day that Samoa left out, an hour that Pyongyang was given", () => {
  expect(shown({ cron: "15 2 * * *", timezone: "Australia/Lord_Howe" }, "2026-10-03T12:00:00Z", 2)).toEqual([
    "2026-10-03T15:30Z",
    "2026-10-04T15:15Z",
  ]);
  expect(shown({ cron: "0 9 * * *", timezone: "Pacific/Apia" }, "2011-12-29T00:00:00Z", 3)).toEqual([
    "2011-12-29T19:00Z",
    "2011-12-30T10:00Z",
    "2011-12-30T19:00Z",
  ]);
  expect(shown({ cron: "45 23 * * *", timezone: "Asia/Pyongyang" }, "2018-05-04T00:00:00Z", 2)).toEqual([
    "2018-05-04T15:00Z",
    "2018-05-05T14:45Z",
  ]);
});

test("seconds, names of days, the last day of a month, nicknames, and nothing before or after its time", () => {
  expect(shown({ cron: "*/20 * * * * *", timezone: "UTC" }, "2026-01-01T00:00:30Z", 2)).toEqual([
    "2026-01-01T00:00:40.000Z",
    "2026-01-01T00:01Z",
  ]);
  expect(shown({ cron: "0 9 * * MON#1", timezone: "UTC" }, "2026-11-15T00:00:00Z", 1)).toEqual([
    "2026-12-07T09:00Z",
  ]);
  expect(shown({ cron: "0 0 L * *", timezone: "UTC" }, "2028-02-01T00:00:00Z", 1)).toEqual([
    "2028-02-29T00:00Z",
  ]);
  expect(
    shown(
      { cron: "@daily", timezone: "UTC", from: "2027-01-01T00:00:00Z", until: "2027-01-03T00:00:00Z" },
      "2026-01-01T00:00:00Z",
      9,
    ),
  ).toEqual(["2027-01-01T00:00Z", "2027-01-02T00:00Z"]);
});

test("a mistake says what is wrong", () => {
  const said = (spec: object) =>
    scheduleSpec
      .safeParse({ name: "a", cron: "0 3 * * *", ...spec })
      .error?.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  expect(said({ cron: "0 3 * *" })).toEqual(['cron: "0 3 * *" has 4 fields, not 5, or 6 with seconds first']);
  expect(said({ cron: "0 24 * * *" })).toEqual(['cron: "24" is no hour: they go from 0 to 23']);
  expect(said({ cron: "0 0 31 2 *" })).toEqual(['cron: no day of the calendar matches "0 0 31 2 *"']);
  expect(said({ cron: "0 0 * * XYZ" })?.[0]).toContain("XYZ");
  expect(said({ timezone: "Europe/Berlim" })).toEqual([
    "timezone: is no IANA time zone; use a name such as UTC or Europe/Berlin",
  ]);
  expect(said({ timezone: "+02:00" })?.[0]).toContain("is no IANA time zone");
  expect(said({ catchUpWithin: "soon" })?.[0]).toContain("write a number with a unit");
  expect(said({})).toBeUndefined();
});

test("a month of minutes is listed, and more than asked for is refused", () => {
  const minutes = { cron: "* * * * *", timezone: "Europe/Berlin" };
  const march = ticksBetween(minutes, new Date("2026-03-01T00:00:00Z"), new Date("2026-04-01T00:00:00Z"));
  expect(march.length).toBe(31 * 24 * 60);
  expect(() => ticksBetween(minutes, new Date("2026-01-01"), new Date("2027-01-01"), 1000)).toThrow(
    "more than 1000",
  );
});

const field = (most: number) =>
  fc.oneof(
    fc.constant("*"),
    fc.integer({ min: 0, max: most }).map(String),
    fc.integer({ min: 1, max: most }).map((n) => `*/${n}`),
    fc
      .tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc
      .uniqueArray(fc.integer({ min: 0, max: most }), { minLength: 1, maxLength: 4 })
      .map((all) => all.join(",")),
  );
const days = fc.constantFrom("* * *", "* * 1-5", "1 * *", "L * *", "* 3,10 *", "15 * 0");

test("without a zone it matches what croner matches", () => {
  fc.assert(
    fc.property(
      field(59),
      field(59),
      field(23),
      days,
      fc.integer({ min: 0, max: 4e9 }),
      (second, minute, hour, day, at) => {
        const cron = `${second} ${minute} ${hour} ${day}`;
        const from = new Date(at * 1000);
        expect(nextTicks({ cron, timezone: "UTC" }, from, 3)).toEqual(
          new Cron(cron, { timezone: "UTC" }).nextRuns(3, from),
        );
      },
    ),
    { numRuns: 150 },
  );
});

/** Around real changes of the clock, of the past too: by an hour, half an hour, twenty minutes, a day. */
const changes = [
  ["Europe/Berlin", "2026-03-29T01:00:00Z"],
  ["Europe/Berlin", "2026-10-25T01:00:00Z"],
  ["America/New_York", "2026-03-08T07:00:00Z"],
  ["America/New_York", "2026-11-01T06:00:00Z"],
  ["America/St_Johns", "2006-10-29T02:31:00Z"],
  ["America/Sao_Paulo", "2018-11-04T03:00:00Z"],
  ["Australia/Lord_Howe", "2026-04-04T15:00:00Z"],
  ["Australia/Lord_Howe", "2026-10-03T15:30:00Z"],
  ["Asia/Kathmandu", "1985-12-31T18:30:00Z"],
  ["Asia/Pyongyang", "2015-08-14T15:00:00Z"],
  ["Asia/Beirut", "2023-03-29T22:00:00Z"],
  ["Pacific/Apia", "2011-12-30T10:00:00Z"],
  ["Pacific/Kwajalein", "1993-08-21T12:00:00Z"],
  ["Africa/Casablanca", "2026-02-15T02:00:00Z"],
  ["Antarctica/Troll", "2026-03-29T01:00:00Z"],
  ["Europe/Dublin", "2026-10-25T01:00:00Z"],
] as const;

test("around changes of the clock the ticks are those of the rule, minute by minute", () => {
  const input = fc.tuple(
    fc.constantFrom(...changes),
    field(59),
    field(23),
    fc.integer({ min: -30, max: 30 }),
  );
  fc.assert(
    fc.property(input, ([[timezone, at], minute, hour, hours]) => {
      const schedule = { cron: `${minute} ${hour} * * *`, timezone };
      const from = Date.parse(at) + hours * 60 * minuteMs;
      const until = from + 2 * dayMs;
      expect(ticksBetween(schedule, new Date(from), new Date(until)).map(Number)).toEqual(
        byRule(schedule, from, until),
      );
    }),
    { numRuns: 200 },
  );
});

const formats = new Map(
  changes.map(([timeZone]) => [
    timeZone as string,
    new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" }),
  ]),
);
const walls = new Map<string, number>();

/** What a clock in the zone shows, as the UTC time that looks the same. */
function wallAt(instant: number, timezone: string): number {
  const known = walls.get(`${timezone} ${instant}`);
  if (known !== undefined) return known;
  const wall = Date.parse(`${formats.get(timezone)?.format(instant).replace(" ", "T")}Z`);
  walls.set(`${timezone} ${instant}`, wall);
  return wall;
}

/** The rule as it is written down, applied to every minute of the days around. */
function byRule({ cron, timezone }: Ticking, from: number, until: number): number[] {
  const pattern = parseCron(cron);
  const start = from - 30 * 60 * minuteMs;
  const ticks = new Set<number>();
  const shownBefore = new Set<number>();
  let latest = wallAt(start, timezone) - minuteMs;
  for (let instant = start; instant < until; instant += minuteMs) {
    const wall = wallAt(instant, timezone);
    const leftOut = pattern.after(latest + minuteMs - 1000);
    if (!pattern.everyHour && leftOut !== undefined && leftOut < wall) ticks.add(instant);
    const matches = pattern.after(wall - 1000) === wall;
    if (matches && (pattern.everyHour || !shownBefore.has(wall))) ticks.add(instant);
    shownBefore.add(wall);
    latest = Math.max(latest, wall);
  }
  return [...ticks].filter((tick) => tick >= from).sort((a, b) => a - b);
}
