import { newUid } from "@reeve/model";
import { insertAgent, writeHello } from "@reeve/store";
import { expect, test } from "vitest";
import type { Held, OfferedStep } from "./runs.ts";
import {
  admit,
  draft,
  held,
  identityOf,
  joinAgent,
  stateOf,
  statesOf,
  step,
  type TestAgent,
  testBench,
} from "./testing.ts";

const shortLease = { leaseMs: 1500, beatMs: 250 };

test("a lost agent's step is done again elsewhere, and the old attempt is fenced", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const old = held(agent.offers[0] as Held);
  await expect.poll(() => agent.beat()).toBe(true);
  // Nobody beats from here on: the lease runs out.
  const other = await waitLost(database, runs, agent.uid);
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(other.offers).toMatchObject([{ run: id, epoch: 2, attempt: 2 }]);
  expect(await agent.finish(old)).toBe("fenced");
  expect(await agent.beat()).toBe(false);
  const past = await database.query("select epoch, state from step_attempt where run = $1", [id]);
  expect(past).toEqual([{ epoch: 1, state: "lost" }]);
});

test("a lost agent with the most room, whose connection nobody has cut, keeps no step from others", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const other = await waitLost(database, runs, agent.uid, { slots: 2 });
  const id = await admit(database, runs, draft({ steps: [step("a"), step("b")] }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect([agent.offers.length, other.offers.length]).toEqual([0, 2]);
});

test("an agent that is back in time with its attempt keeps it; what it no longer has is done again", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a"), step("b")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "running"]);
  const kept = held(agent.offers.find((offer) => offer.step === "a") as Held);
  const { fenced } = await agent.hello([kept, { ...kept, seq: 7 }]);
  expect(fenced).toEqual([{ ...kept, seq: 7 }]);
  await expect.poll(() => agent.offers.length).toBe(3);
  expect(agent.offers[2]).toMatchObject({ step: "b", epoch: 2 });
  expect(await agent.finish(kept)).toBe("ok");
  expect(await agent.finish(agent.offers[1] as Held)).toBe("fenced");
  expect(await agent.finish(agent.offers[2] as Held)).toBe("ok");
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("a lost attempt that may happen at most once waits by name, and the agent that comes back with it ends it", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const id = await admit(database, runs, draft({ steps: [step("pay", { effect: "at-most-once" })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const mine = held(agent.offers[0] as Held);
  const other = await waitLost(database, runs, agent.uid);
  expect(await waitsFor(database, id)).toEqual(["lost"]);
  expect(other.offers).toEqual([]);
  const { fenced } = await agent.hello([mine]);
  expect(fenced).toEqual([]);
  expect(await statesOf(database, id)).toEqual(["running"]);
  expect(await agent.finish(mine)).toBe("ok");
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("an agent that was given up for lost before its accept was answered is not told to forget what only it can tell of", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const id = await admit(database, runs, draft({ steps: [step("pay", { effect: "at-most-once" })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const mine = held(agent.offers[0] as Held);
  await waitLost(database, runs, agent.uid);
  expect(await runs.agents.accept(agent.uid, agent.session, [mine], 9)).toEqual([]);
  await agent.hello([mine]);
  expect(await runs.agents.accept(agent.uid, agent.session, [mine], 9)).toMatchObject([{ ruling: "ok" }]);
  expect(await agent.finish(mine)).toBe("ok");
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("a person decides a lost attempt; only then is it done again", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("pay", { effect: "at-most-once" })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const mine = held(agent.offers[0] as Held);
  await agent.hello([]);
  expect(await waitsFor(database, id)).toEqual(["lost"]);
  await expect(operate(id, { does: "skip", seq: 0 })).rejects.toThrow("decide it");
  await operate(id, { does: "decide", seq: 0, outcome: "again" });
  await expect.poll(() => agent.offers.length).toBe(2);
  expect(await agent.finish(mine)).toBe("fenced");
  await expect.poll(() => agent.finish(agent.offers[1] as Held)).toBe("ok");
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("a finish that was recorded is known when its agent comes back with it", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const mine = held(agent.offers[0] as Held);
  await agent.finish(mine);
  expect(await agent.hello([mine])).toMatchObject({ known: [mine], fenced: [] });
});

test("an agent is offered nothing of another scope, and hears no secret of a step that is not its own", async () => {
  const secrets = async (_: string, value: object) => ({ value: { ...value, key: "hush" }, hide: ["hush"] });
  const { database, runs, agent } = await testBench(() => "never", { hooks: { secrets } as never });
  const strangers = await Promise.all(
    ["other", "acme/blog", "acme/shop/prod"].map((scope) =>
      joinAgent(database, runs, () => "never", { scope }),
    ),
  );
  const [stranger] = strangers as [TestAgent];
  const body = { does: "execute", executor: "noop", with: { key: "${{ secrets.api.key }}" } } as const;
  const id = await admit(database, runs, draft({ steps: [step("a", { body })] }, { scope: "acme/shop" }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  expect(strangers.flatMap(({ offers }) => offers)).toEqual([]);
  expect(agent.offers).toHaveLength(1);
  expect(JSON.stringify(agent.offers), "an offer holds no secret").not.toContain("hush");
  const [own] = await runs.agents.accept(agent.uid, agent.session, agent.offers.map(held), 1);
  expect(own).toMatchObject({ ruling: "ok", with: { key: "hush" } });
  const theirs = { run: id, seq: 0, epoch: 1 };
  const [verdict] = await runs.agents.accept(stranger.uid, stranger.session, [theirs], 1);
  expect(verdict).toEqual({ ...theirs, ruling: "fenced", why: expect.any(String) });
  expect(await stranger.finish(theirs)).toBe("fenced");
  expect(await statesOf(database, id)).toEqual(["running"]);
});

test("a hello that was held up and overtaken gives nothing away that its agent has begun since", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const { uid, session } = agent;
  const farewells: string[] = [];
  const ear = { offer() {}, stop() {}, farewell: (reason: string) => void farewells.push(reason) };
  const hello = {
    uid,
    identity: identityOf(uid),
    session,
    slots: 10,
    executors: ["noop"],
    facts: {},
    inventory: [],
  };
  const say = (number: number, more: object = {}) => runs.agents.hello({ ...hello, number, ...more }, ear);
  expect(await say(7)).toMatchObject({ fenced: [] });
  const id = await admit(database, runs, draft({ steps: [step("a", { exclusive: true })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["offered"]);
  const mine = { run: id, seq: 0, epoch: 1 };
  expect(await runs.agents.accept(uid, session, [mine], 9)).toMatchObject([{ ruling: "ok" }]);
  // One of this process that another replica had not got to, and the last of the process before.
  expect(await say(6)).toEqual({ newest: 7 });
  expect(await say(7, { session: newUid() })).toEqual({ newest: 7 });
  expect(await statesOf(database, id)).toEqual(["running"]);
  expect(await runs.agents.beat(uid, session, 9, {})).toBe(true);
  // What is newer counts; and the same once more, as when the answer of the database was lost.
  for (const number of [8, 8])
    expect(await say(number, { inventory: [mine] })).toMatchObject({ fenced: [], known: [] });
  expect(await statesOf(database, id)).toEqual(["running"]);
  expect(farewells).toEqual([]);
});

test("another machine that joins in an agent's place waits for what must not overlap, until the lease of the one before is over", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const steps = [step("backup", { exclusive: true }), step("report")];
  const id = await admit(database, runs, draft({ steps }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "running"]);
  const [report] = agent.offers.filter((offer) => offer.step === "report");
  expect(await agent.beat()).toBe(true);
  await rejoin(database, agent.uid);
  expect(await agent.beat()).toBe(false);
  await expect(agent.hello()).rejects.toThrow("the machine before this one");
  expect(await statesOf(database, id)).toEqual(["running", "running"]);
  // What its predecessor still says of its end counts.
  expect(await agent.finish(report as Held)).toBe("ok");
  await database.query("update agent set lease_until = now()");
  await agent.hello();
  await expect.poll(() => agent.offers.at(-1)).toMatchObject({ step: "backup", epoch: 2 });
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "succeeded"]);
});

test("another machine that joins in an agent's place is served at once when nothing is in the way", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("report")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await rejoin(database, agent.uid);
  await agent.hello();
  await expect.poll(() => agent.offers.at(-1)).toMatchObject({ step: "report", epoch: 2 });
});

test("a hello whose machine was replaced, or revoked, since it showed its identity takes nothing over", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const hello = {
    uid: agent.uid,
    session: newUid(),
    slots: 1,
    executors: ["noop"],
    facts: {},
    inventory: [],
  };
  const ear = { offer() {}, stop() {}, farewell() {} };
  const say = async (identity: Buffer) => {
    await writeHello(database, agent.uid, identity, { facts: { os: String(identity) } });
    return runs.agents.hello({ ...hello, identity, number: 9 }, ear);
  };
  const os = () => database.query("select labels ->> 'reeve/os' as os from agent");
  await rejoin(database, agent.uid, Buffer.from("the next machine"));
  await expect(say(identityOf(agent.uid))).rejects.toThrow("there is no such agent");
  await database.query("update agent set revoked_at = now()");
  await expect(say(Buffer.from("the next machine"))).rejects.toThrow("there is no such agent");
  expect(await database.query("select session from agent")).toEqual([{ session: null }]);
  expect(await os()).toEqual([{ os: "" }]);
  await database.query("update agent set revoked_at = null");
  expect(await say(Buffer.from("the next machine"))).toMatchObject({ fenced: [] });
  expect(await os()).toEqual([{ os: "the next machine" }]);
});

test("an exclusive step that is accepted while another machine says hello in its agent's place is not given away", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const { uid, session } = agent;
  const heard: OfferedStep[] = [];
  const slow = { offer: (offers: OfferedStep[]) => void heard.push(...offers), stop() {}, farewell() {} };
  const hello = {
    uid,
    identity: identityOf(uid),
    slots: 1,
    executors: ["noop"],
    facts: {},
    inventory: [],
    number: 0,
  };
  await runs.agents.hello({ ...hello, session }, slow);
  const id = await admit(database, runs, draft({ steps: [step("backup", { exclusive: true })] }));
  await expect.poll(() => heard.length).toBe(1);
  await rejoin(database, uid);
  // The hello has seen the offer and waits for the run, which something else holds.
  let said: Promise<unknown> = Promise.resolve();
  await database.transact(async (sql) => {
    await sql.query("select 1 from run where id = $1 for update", [id]);
    said = runs.agents.hello({ ...hello, session: newUid() }, slow).catch((error: Error) => error.message);
    const waiting = () =>
      database.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
    await expect.poll(async () => (await waiting()).length).toBe(1);
    expect(await runs.agents.accept(uid, session, [held(heard[0] as OfferedStep)], 0)).toMatchObject([
      { ruling: "ok" },
    ]);
  });
  expect(await said).toContain("the machine before this one");
  expect(await statesOf(database, id)).toEqual(["running"]);
});

test("two processes of one agent that beat in the same moment are told apart", async () => {
  const { runs, agent } = await testBench();
  const replaced = agent.session;
  await agent.hello();
  const beats = [replaced, agent.session].map((session) => runs.agents.beat(agent.uid, session, 1, {}));
  expect(await Promise.all(beats)).toEqual([false, true]);
});

test("a session that was taken over can neither beat nor be offered anything", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const twin = await joinAgent(database, runs, () => ({}), { uid: agent.uid });
  expect(agent.farewells).toEqual(["replaced"]);
  expect(await agent.beat()).toBe(false);
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers).toEqual([]);
  expect(twin.offers.length).toBe(1);
});

test("after an outage leases are extended before anybody is declared lost", async () => {
  const { database, runs, agent } = await testBench(() => "never", { leaseMs: 60_000 });
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await runs.stop();
  // As after an outage longer than the lease: by the clock it has run out, but nobody could have renewed it.
  await database.query("update agent set lease_until = now() - interval '1 minute'");
  const { testRuns } = await import("./testing.ts");
  const after = testRuns(database, { leaseMs: 60_000 });
  const leased = async () => (await database.query("select 1 from agent where lease_until > now()")).length;
  await expect.poll(leased).toBe(1);
  expect(await database.query("select state from agent")).toEqual([{ state: "connected" }]);
  expect(await after.agents.beat(agent.uid, agent.session, 1, {})).toBe(true);
  expect(await statesOf(database, id)).toEqual(["running"]);
  await after.stop();
});

async function rejoin(
  database: Parameters<typeof joinAgent>[0],
  uid: string,
  hash = identityOf(uid),
): Promise<void> {
  const identity = {
    hash,
    expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    authority: newUid(),
  };
  const host = { uid, scope: "", name: "again", labels: {}, drained: false, slotsAllowed: undefined };
  await insertAgent(database, { ...host, identity, enrolment: undefined, hello: {} });
}

async function waitLost(
  database: Parameters<typeof joinAgent>[0],
  runs: Parameters<typeof joinAgent>[1],
  uid: string,
  more?: Parameters<typeof joinAgent>[3],
): ReturnType<typeof joinAgent> {
  const state = async () =>
    (await database.query<{ state: string }>("select state from agent where uid = $1", [uid]))[0]?.state;
  await expect.poll(state).toBe("lost");
  return joinAgent(database, runs, () => ({}), more);
}

async function waitsFor(database: Parameters<typeof joinAgent>[0], run: string): Promise<string[]> {
  const rows = await database.query<{ reason: string }>(
    "select reason from step where run = $1 order by seq",
    [run],
  );
  return rows.map(({ reason }) => reason);
}
