import type { Database } from "@reeve/store";
import { expect, test } from "vitest";
import type { AgentEar, Held, OfferedStep } from "./runs.ts";
import { admit, draft, held, identityOf, statesOf, step, testBench } from "./testing.ts";

const minuteMs = 60_000;
const overall = { timeouts: { overallMs: 60 * minuteMs } };
const tooLong = { state: "failed", why: "took longer than 60m in all" };

/** As if so much time had passed for the steps of a run. */
async function pass(database: Database, run: string, minutes: number): Promise<void> {
  await database.query(
    `update step set first_ready_at = first_ready_at - v.past, ready_at = ready_at - v.past, wake_at = wake_at - v.past
     from (select $2 * interval '1 minute' as past) as v where run = $1`,
    [run, minutes],
  );
}

async function stepOf(database: Database, run: string, seq = 0) {
  const [row] = await database.query<{ state: string; reason: string | null; why: string }>(
    "select state, reason, why from step where run = $1 and seq = $2",
    [run, seq],
  );
  return row;
}

test("a step that nobody begins after its agent was lost fails for that", async () => {
  const { database, runs } = await testBench(() => "never", { leaseMs: 1500, beatMs: 250 });
  const timeouts = { startMs: 10 * minuteMs };
  const id = await admit(database, runs, draft({ steps: [step("a", { timeouts })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await expect.poll(() => statesOf(database, id)).toEqual(["ready"]);
  await pass(database, id, 11);
  await expect
    .poll(() => stepOf(database, id))
    .toMatchObject({ state: "failed", why: "nothing began it within 10m" });
});

test("a step that nobody begins after it was offered and given back fails for that", async () => {
  const { database, runs, agent } = await testBench();
  const heard: OfferedStep[] = [];
  const deaf: AgentEar = { offer: (offers) => void heard.push(...offers), stop() {}, farewell() {} };
  const { uid, session } = agent;
  const hello = { uid, identity: identityOf(uid), session, slots: 1, executors: ["noop"], facts: {} };
  await runs.agents.hello({ ...hello, inventory: [], number: 0 }, deaf);
  const timeouts = { startMs: 10 * minuteMs };
  const id = await admit(database, runs, draft({ steps: [step("a", { timeouts })] }));
  await expect.poll(() => heard.length).toBe(1);
  await runs.agents.leave(uid, session);
  expect(await statesOf(database, id)).toEqual(["ready"]);
  await pass(database, id, 11);
  await expect
    .poll(() => stepOf(database, id))
    .toMatchObject({ state: "failed", why: "nothing began it within 10m" });
});

test("overall is one time for all attempts: the next one has what is left of it", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const retried = step("a", { ...overall, retry: { times: 1, delayMs: 1 } });
  const id = await admit(database, runs, draft({ steps: [retried] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await pass(database, id, 50);
  await agent.finish(agent.offers[0] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await pass(database, id, 11);
  await expect.poll(() => agent.stops).toContainEqual(expect.objectContaining({ run: id, epoch: 2 }));
  await agent.finish(agent.offers[1] as Held, { outcome: "cancelled", why: "stopped" });
  expect(await stepOf(database, id)).toMatchObject(tooLong);
});

test("overall goes on when an attempt is lost, and when its agent is back with it", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const steps = [step("again", overall), step("back", { ...overall, effect: "at-most-once" })];
  const id = await admit(database, runs, draft({ steps }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "running"]);
  const back = held(agent.offers.find((offer) => offer.step === "back") as Held);
  await pass(database, id, 50);
  await agent.hello();
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "waiting"]);
  const again = held(agent.offers[2] as Held);
  await agent.hello([again, back]);
  expect(await statesOf(database, id)).toEqual(["running", "running"]);
  expect(agent.stops).toEqual([]);
  await pass(database, id, 11);
  for (const one of [again, back])
    await expect.poll(() => agent.stops).toContainEqual(expect.objectContaining(one));
});

test("overall goes on while a step waits for its limit, and when that has room again", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const limit = { key: "disk", most: 1 };
  const retried = step("a", { ...overall, limit, retry: { times: 1, delayMs: 30 * minuteMs } });
  const [late, inTime] = [draft({ steps: [retried] }), draft({ steps: [retried] })];
  for (const [at, one] of [late, inTime].entries()) {
    await admit(database, runs, one);
    await expect.poll(() => agent.offers.length).toBe(at + 1);
    await agent.finish(agent.offers[at] as Held, { outcome: "failed", why: "no" });
  }
  await admit(database, runs, draft({ steps: [step("holder", { limit })] }));
  await expect.poll(() => agent.offers.length).toBe(3);
  for (const { id } of [late, inTime]) {
    await pass(database, id, 40);
    await expect.poll(() => stepOf(database, id)).toMatchObject({ reason: "limit" });
  }
  await pass(database, late.id, 21);
  await expect.poll(() => stepOf(database, late.id)).toMatchObject(tooLong);
  await agent.finish(agent.offers[2] as Held);
  await expect.poll(() => statesOf(database, inTime.id)).toEqual(["running"]);
  await pass(database, inTime.id, 21);
  await expect.poll(() => agent.stops).toContainEqual(expect.objectContaining({ run: inTime.id, epoch: 2 }));
});

test("a step whose overall time is over is not begun again, whatever it comes back from, unless a person says so", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const steps = [
    step("lost", overall),
    step("retried", { ...overall, retry: { times: 1, delayMs: 30 * minuteMs } }),
    step("decided", { ...overall, effect: "at-most-once" }),
  ];
  const id = await admit(database, runs, draft({ steps }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "running", "running"]);
  const retried = agent.offers.find((offer) => offer.step === "retried");
  await agent.finish(retried as Held, { outcome: "failed", why: "no" });
  await pass(database, id, 120);
  await agent.hello();
  await operate(id, { does: "decide", seq: 2, outcome: "again" });
  for (const seq of [0, 1]) await expect.poll(() => stepOf(database, id, seq)).toMatchObject(tooLong);
  // Of its time, most was spent until somebody looked.
  await expect.poll(() => agent.offers.map((offer) => `${offer.step}${offer.attempt}`)).toContain("decided2");
  expect(agent.offers).toHaveLength(4);
});

test("what becomes ready while its run is paused does not fail because nobody begins it", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const late = step("late", { needs: [0], timeouts: { startMs: 1 } });
  const id = await admit(database, runs, draft({ steps: [step("a"), late] }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await operate(id, { does: "pause" });
  await agent.finish(agent.offers[0] as Held);
  // One that begins and ends meanwhile proves that the engine has looked.
  const other = await admit(database, runs, draft({ steps: [step("b", { body: { does: "wait", ms: 5 } })] }));
  await expect.poll(() => statesOf(database, other)).toEqual(["succeeded"]);
  expect(await stepOf(database, id, 1)).toMatchObject({ state: "waiting", reason: "paused" });
});
