import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";

const workflows = "/organizations/acme/workflows";
const steps = [{ name: "hello", run: "echo hello" }];

function put(server: TestServer, name: string, spec: object, metadata: object = {}) {
  return server.call("PUT", `${workflows}/${name}`, {
    body: {
      apiVersion: "reeve/v1",
      kind: "Workflow",
      metadata: { scope: "acme", name, ...metadata },
      spec: { steps, ...spec },
    },
  });
}

interface Begun {
  readonly schedule: string;
  readonly tick: string;
  readonly run: string;
  readonly late: number;
}

/** Ticks with the runs that stand for them, and how many ms after the tick each run was written. */
function begun({ database }: TestServer): Promise<Begun[]> {
  return database.query<Begun>(
    `select t.schedule, t.tick, t.run, (extract(epoch from r.created_at - t.tick) * 1000)::float8 as late
     from schedule_tick t join run r on r.id = t.run and r.scheduled_at = t.tick and r.cause = 'schedule' order by t.schedule, t.tick`,
  );
}

async function until<T>(look: () => Promise<T>, good: (seen: T) => boolean, forMs = 60_000): Promise<T> {
  const deadline = Date.now() + forMs;
  for (;;) {
    const seen = await look();
    if (good(seen) || Date.now() > deadline) return seen;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("three replicas fire every tick of every schedule once, none before its time", async () => {
  const server = await testServer();
  await testServer({ share: server });
  await testServer({ share: server });
  const second = (name: string) => ({ name, cron: "* * * * * *" });
  await put(server, "one", { schedules: [second("a"), second("b")] });
  await put(server, "two", { schedules: [second("c")] });
  const seen = await until(
    () => begun(server),
    (all) => all.length >= 15,
  );
  for (const name of ["a", "b", "c"]) {
    const ticks = seen.filter((one) => one.schedule === name).map((one) => Date.parse(one.tick));
    expect(ticks.length).toBeGreaterThan(3);
    for (const [at, tick] of ticks.slice(1).entries()) expect(tick - (ticks[at] as number)).toBe(1000);
  }
  // By the database's clock, whatever those of the replicas show.
  for (const { late } of seen) expect(late).toBeGreaterThanOrEqual(0);
  // No run without its tick, and none twice.
  const [{ count }] = (await server.database.query<{ count: number }>(
    "select count(*) as count from run where not exists (select 1 from schedule_tick t where t.run = run.id)",
  )) as [{ count: number }];
  expect(count).toBe(0);
});

test("a schedule that the server fails at keeps no other from its time, and says so on its workflow", async () => {
  const server = await testServer();
  const second = (name: string) => ({ name, cron: "* * * * * *" });
  await put(server, "bad", { schedules: [second("broken")] });
  await put(server, "good", { schedules: [second("a")] });
  // What no check lets in, as if a version had written it that knows more than this one.
  await server.database.query(`update schedule set spec = '{"cron":7}' where name = 'broken'`);
  const [{ count: before }] = (await server.database.query<{ count: number }>(
    "select count(*) as count from schedule_tick",
  )) as [{ count: number }];
  const seen = await until(
    () => begun(server),
    (all) => all.length >= before + 4,
  );
  const ticks = seen.filter((one) => one.schedule === "a").map((one) => Date.parse(one.tick));
  expect(ticks.length).toBeGreaterThan(2);
  for (const [at, tick] of ticks.slice(1).entries()) expect(tick - (ticks[at] as number)).toBe(1000);
  const events = (await server.call("GET", `${workflows}/bad/events`)).body.items as { message: string }[];
  expect(events.filter((event) => event.message.includes("could not be fired")).length).toBe(1);
  // Put right, it goes on.
  await put(server, "bad", { schedules: [{ ...second("broken"), catchUp: "none" }] });
  const last = () => begun(server).then((all) => all.filter((one) => one.schedule === "broken").length);
  const then = await last();
  expect(await until(last, (now) => now > then)).toBeGreaterThan(then);
});

test("after an outage a schedule catches up by its own rule, and tells what it left out", async () => {
  const server = await testServer();
  const daily = (name: string, catchUp: string) => ({
    name,
    catchUp,
    cron: "0 0 * * *",
    catchUpWithin: "5d",
  });
  await put(server, "etl", {
    schedules: [daily("all", "all"), daily("latest", "latest"), daily("none", "none")],
  });
  // As if no server had been up for three days.
  await server.database.query("update schedule set next_at = date_trunc('day', now() - interval '3 days')");
  const seen = await until(
    () => begun(server),
    (all) => all.length >= 4,
  );
  const counts = (name: string) => seen.filter((one) => one.schedule === name).length;
  expect(counts("all")).toBeGreaterThanOrEqual(3);
  expect(counts("latest")).toBe(1);
  const events = await until(
    async () =>
      (await server.call("GET", `${workflows}/etl/events`)).body.items as {
        reason: string;
        message: string;
      }[],
    (all) => all.some((event) => event.message.includes("schedule none")),
  );
  expect(events.filter((event) => event.reason === "TicksMissed").length).toBe(2);
});

test("the last run of a schedule is one that was made, whatever ticks a backfill had claimed before", async () => {
  const server = await testServer();
  await put(server, "etl", {
    schedules: [{ name: "daily", cron: "0 0 * * *", catchUp: "all", catchUpWithin: "5d" }],
  });
  const midnight = new Date().setUTCHours(0, 0, 0, 0);
  const daysAgo = (days: number) => new Date(midnight - days * 86_400_000).toISOString();
  const missSince = (from: string) => server.database.query("update schedule set next_at = $1", [from]);
  const backfill = async (from: string) => {
    const range = { schedule: "daily", from, until: new Date().toISOString() };
    return (await server.call("POST", `${workflows}/etl/actions/backfill`, { body: range })).body;
  };
  const fired = async () => {
    const listed = async () => (await server.call("GET", "/schedules?scope=acme")).body.items[0];
    return until(listed, ({ nextAt }) => Date.parse(nextAt) > Date.now());
  };
  // Of all the ticks that were missed, none is left to be fired.
  expect((await backfill(daysAgo(1))).runs).toHaveLength(2);
  await missSince(daysAgo(1));
  expect(await fired()).toMatchObject({ lastAt: null, lastRun: null });
  // Only the older ones are left.
  await missSince(daysAgo(3));
  const { lastAt, lastRun } = await fired();
  expect(lastAt).toBe(daysAgo(2));
  expect((await server.call("GET", `/runs/${lastRun}`)).body).toMatchObject({ scheduledAt: daysAgo(2) });
});

test("a change of a workflow waits for who is firing its schedule, and does not bring back the tick that was fired", async () => {
  const server = await testServer();
  const { database } = server;
  const schedules = [{ name: "daily", cron: "0 0 * * *" }];
  await put(server, "etl", { schedules });
  const firedTo = "2099-01-01T00:00:00.000Z";
  const waiting = () =>
    database.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  let change: ReturnType<typeof put> | undefined;
  await database.transact(async (sql) => {
    // As a replica does that fires it at this moment.
    await sql.query("select 1 from schedule for update");
    change ??= put(server, "etl", { schedules, description: "other words" });
    await until(waiting, (rows) => rows.length > 0, 10_000);
    await sql.query("update schedule set next_at = $1", [firedTo]);
  });
  expect((await change)?.status).toBe(200);
  expect((await server.call("GET", "/schedules?scope=acme")).body.items[0].nextAt).toBe(firedTo);
});

test("what is paused does not fire, and resuming fires nothing of the past", async () => {
  const server = await testServer();
  const schedules = [{ name: "a", cron: "0 0 * * *", catchUp: "all" }];
  await put(server, "etl", { schedules });
  const listed = async () => (await server.call("GET", "/schedules?scope=acme")).body.items[0];
  expect((await listed()).nextAt).not.toBeNull();
  await put(server, "etl", { schedules: [{ ...schedules[0], paused: true }] });
  expect(await listed()).toMatchObject({ workflow: "etl", name: "a", paused: true, nextAt: null });
  await put(server, "etl", { schedules });
  expect(Date.parse((await listed()).nextAt)).toBeGreaterThan(Date.now());
  // The workflow itself.
  await put(server, "etl", { schedules }, { paused: true });
  expect((await listed()).paused).toBe(true);
  await put(server, "etl", { schedules }, { paused: false });
  expect(Date.parse((await listed()).nextAt)).toBeGreaterThan(Date.now());
  // An edit of something else keeps what is due.
  await server.database.query("update schedule set next_at = next_at - interval '1 second'");
  const before = (await listed()).nextAt;
  await put(server, "etl", { schedules, description: "other words" });
  expect((await listed()).nextAt).toBe(before);
  expect(await begun(server)).toEqual([]);
});

test("what goes on from a run of a schedule is for the same tick, and promises from its own beginning", async () => {
  const server = await testServer();
  const schedules = [{ name: "daily", cron: "0 3 * * *" }];
  await put(server, "etl", { schedules, sla: { finishWithin: "1h" } });
  const range = { schedule: "daily", from: "2026-10-23T00:00:00Z", until: "2026-10-24T00:00:00Z" };
  const { body } = await server.call("POST", `${workflows}/etl/actions/backfill`, { body: range });
  const [{ run }] = body.runs;
  await server.call("POST", `/runs/${run}/cancel`, { body: {} });
  await until(
    () => server.call("GET", `/runs/${run}`),
    (answer) => answer.body.state === "cancelled",
  );
  const again = await server.call("POST", `${workflows}/etl/actions/trigger`, { body: { keep: run } });
  const begun = (await server.call("GET", `/runs/${again.body.run}`)).body;
  expect(begun).toMatchObject({ scheduledAt: "2026-10-23T03:00:00.000Z", cause: "retry" });
  const promised = await server.database.query(
    "select due_at > now() as ahead from run_promise where run = $1 and what = 'finish'",
    [again.body.run],
  );
  expect(promised).toEqual([{ ahead: true }]);
});

test("a backfill begins each tick once, unless it is asked to again, and tells how far it is", async () => {
  const server = await testServer();
  await put(server, "etl", {
    schedules: [{ name: "daily", cron: "0 3 * * *", timezone: "Europe/Berlin" }],
    concurrency: { most: 2 },
  });
  const range = { schedule: "daily", from: "2026-10-23T00:00:00Z", until: "2026-10-27T00:00:00Z" };
  const backfill = async (more: object = {}) =>
    (await server.call("POST", `${workflows}/etl/actions/backfill`, { body: { ...range, ...more } })).body;
  const dry = await backfill({ dryRun: true });
  expect(dry.runs.map((one: { tick: string }) => one.tick)).toEqual([
    "2026-10-23T01:00:00.000Z",
    "2026-10-24T01:00:00.000Z",
    "2026-10-25T02:00:00.000Z",
    "2026-10-26T02:00:00.000Z",
  ]);
  const both = await Promise.all([backfill(), backfill()]);
  const done = both.find((one) => one.backfill !== undefined);
  const [{ count }] = (await server.database.query("select count(*) as count from run")) as [
    { count: number },
  ];
  expect(count).toBe(4);
  const progress = (await server.call("GET", `/backfills/${done.backfill}`)).body;
  expect(progress).toMatchObject({ workflow: "etl", ticks: 4, states: { running: 2, queued: 2 } });
  expect(await backfill()).toEqual({ runs: [], known: 4 });
  expect((await backfill({ again: true, newestFirst: true })).runs[0].tick).toBe("2026-10-26T02:00:00.000Z");
  expect((await backfill({ most: 2, again: true })).detail).toContain("more than 2");
  expect((await backfill({ until: "2099-01-01T00:00:00Z" })).detail).toContain("is not over yet");
  expect((await backfill({ schedule: "other" })).detail).toContain("there is no schedule other");
});
