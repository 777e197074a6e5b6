import type { GraphStep } from "@reeve/model";
import type { Database } from "@reeve/store";
import { expect, test } from "vitest";
import type { Held } from "./runs.ts";
import { admit, begins, definitions, draft, stateOf, statesOf, step, testBench } from "./testing.ts";

const inner = { steps: [step("inner")], outputs: { got: "${{ steps.inner.outputs }}" } };
const sub = (more: Partial<GraphStep> = {}) =>
  draft({ steps: [step("sub", { body: begins("inner"), ...more })] });

const bench = (behaviour: Parameters<typeof testBench>[0]) =>
  testBench(behaviour, { hooks: definitions({ inner }) });

async function childrenOf(database: Database, run: string): Promise<{ state: string; why: string }[]> {
  return database.query("select state, why from run where parent_run = $1 order by id", [run]);
}

async function stepOf(database: Database, run: string) {
  const [row] = await database.query("select state, reason, why, outputs from step where run = $1", [run]);
  return row as { state: string; reason: string | null; why: string; outputs: unknown };
}

test("a run that failed is begun anew, as another run, as often as its step says", async () => {
  let tries = 0;
  const { database, runs } = await bench(() =>
    ++tries < 3 ? { outcome: "failed", why: "exit code 1" } : { outputs: { tries } },
  );
  const id = await admit(database, runs, sub({ retry: { times: 2, delayMs: 1 } }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(await stepOf(database, id)).toMatchObject({ outputs: { got: { tries: 3 } } });
  expect((await childrenOf(database, id)).map(({ state }) => state)).toEqual([
    "failed",
    "failed",
    "succeeded",
  ]);
  tries = -100;
  const hopeless = await admit(database, runs, sub({ retry: { times: 1, delayMs: 1 } }));
  await expect.poll(() => stateOf(database, hopeless)).toBe("failed");
  expect((await stepOf(database, hopeless)).why).toBe("its run failed: inner failed: exit code 1");
  expect(await childrenOf(database, hopeless)).toHaveLength(2);
});

test("between two runs the step says when the next one is begun, and can be cancelled", async () => {
  const { database, runs, operate } = await bench(() => ({ outcome: "failed", why: "exit code 1" }));
  const id = await admit(database, runs, sub({ retry: { times: 5, delayMs: 3_600_000 } }));
  await expect.poll(async () => (await stepOf(database, id)).reason).toBe("retry");
  expect((await stepOf(database, id)).why).toBe(
    "its run failed: inner failed: exit code 1; attempt 2 follows in 60m",
  );
  await operate(id, { does: "cancel", why: "enough" });
  expect(await stateOf(database, id)).toBe("cancelled");
});

test("what a person has cancelled is not begun anew", async () => {
  const { database, runs, agent, operate } = await bench(() => "never");
  const id = await admit(database, runs, sub({ retry: { times: 5, delayMs: 1 } }));
  await expect.poll(() => agent.offers.length).toBe(1);
  const inside = agent.offers[0] as Held;
  await operate(inside.run, { does: "cancel", why: "not now" });
  await agent.finish(inside, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => statesOf(database, id)).toEqual(["cancelled"]);
  expect((await stepOf(database, id)).why).toBe("its run was cancelled: not now");
  expect(await childrenOf(database, id)).toHaveLength(1);
});

test("a run that was given up for want of room is begun anew", async () => {
  const { database, runs, agent } = await testBench(() => "never", {
    hooks: definitions({
      inner: { steps: [step("inner")], limit: { key: "one", most: 1, over: "skip" } },
    }),
  });
  const [first, second] = [sub(), sub({ retry: { times: 1000, delayMs: 20 } })];
  await admit(database, runs, first);
  await expect.poll(() => agent.offers.length).toBe(1);
  await admit(database, runs, second);
  await expect
    .poll(async () => (await stepOf(database, second.id)).why)
    .toMatch(/^its run was skipped: 1 of at most 1 under way; attempt \d+ follows/);
  await agent.finish(agent.offers[0] as Held);
  await expect.poll(() => agent.offers.length).toBe(2);
});

/** As if its step had begun it two hours ago. */
async function longAgo(database: Database, run: string): Promise<void> {
  await database.query(
    `update step set ready_at = now() - interval '2 hours', first_ready_at = now() - interval '2 hours', wake_at = now()
     where run = $1 and reason = 'run'`,
    [run],
  );
}

const hourMs = 3_600_000;

test.each([
  [{ finishMs: hourMs }, "took longer than 60m; its run was cancelled"],
  [{ overallMs: hourMs, finishMs: 9 * hourMs }, "took longer than 60m in all; its run was cancelled"],
])("with the timeouts %j a run that does not end is cancelled, and its step fails", async (timeouts, why) => {
  const { database, runs, agent } = await bench(() => "never");
  const id = await admit(database, runs, sub({ timeouts }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await longAgo(database, id);
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  // Not before its run has ended: that tidies up first.
  expect((await stepOf(database, id)).state).toBe("waiting");
  await agent.finish(agent.offers[0] as Held, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  expect((await stepOf(database, id)).why).toBe(why);
  expect(await childrenOf(database, id)).toEqual([
    { state: "cancelled", why: "the step that began it has no more time for it" },
  ]);
});

test("the time of a step wakes the engine by itself", async () => {
  const nobody = { steps: [step("inner", { selector: "zone=nowhere" })] };
  const { database, runs } = await testBench(() => ({}), { hooks: definitions({ inner: nobody }) });
  const id = await admit(database, runs, sub({ timeouts: { overallMs: 1 } }));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
});

test("a run that took too long is begun anew; after the time for all of them together none is", async () => {
  const { database, runs, agent } = await bench(() => "never");
  const retry = { times: 5, delayMs: 1 };
  const id = await admit(database, runs, sub({ timeouts: { finishMs: hourMs }, retry }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await longAgo(database, id);
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  await agent.finish(agent.offers[0] as Held, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => agent.offers.length).toBe(2);
  expect(await stepOf(database, id)).toMatchObject({ reason: "run", why: "" });
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");

  const late = await admit(
    database,
    runs,
    sub({ timeouts: { overallMs: 3 * hourMs }, retry: { ...retry, delayMs: hourMs } }),
  );
  await expect.poll(() => agent.offers.length).toBe(3);
  await longAgo(database, late);
  await agent.finish(agent.offers[2] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => stateOf(database, late)).toBe("failed");
  expect((await stepOf(database, late)).why).toContain("no time for another attempt");
});

test("a cleanup that begins a run has it done to its end, also when its time is looked at in a cancelled run", async () => {
  const { database, runs, agent, operate } = await bench(() => "never");
  const tidy = step("tidy", {
    ...{ needs: [0], rule: "all-done", cleanup: true, body: begins("inner") },
    timeouts: { finishMs: 60_000 },
  });
  const id = await admit(database, runs, draft({ steps: [step("a"), tidy] }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await agent.finish(agent.offers[0] as Held);
  await expect.poll(() => agent.offers.length).toBe(2);
  await operate(id, { does: "cancel", why: "enough" });
  await database.query("update step set wake_at = now() where run = $1 and reason = 'run'", [id]);
  const woken = () => database.query("select 1 from step where run = $1 and wake_at < now()", [id]);
  await expect.poll(woken).toEqual([]);
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "succeeded"]);
  expect((await childrenOf(database, id)).map(({ state }) => state)).toEqual(["succeeded"]);
});

test("a cleanup waits until the runs of a cancelled fan-out have ended", async () => {
  const { database, runs, agent, operate } = await bench((offer) => (offer.step === "tidy" ? {} : "never"));
  const each = step("each", { over: { items: [0, 1] }, body: begins("inner") });
  const tidy = step("tidy", { needs: [0], rule: "all-done", cleanup: true });
  const id = await admit(database, runs, draft({ steps: [each, tidy] }));
  await expect.poll(() => agent.offers.length).toBe(2);
  await operate(id, { does: "cancel", why: "enough" });
  await expect.poll(() => agent.stops.length).toBeGreaterThan(1);
  expect((await statesOf(database, id)).slice(0, 2)).toEqual(["waiting", "blocked"]);
  for (const one of agent.offers.slice()) await agent.finish(one, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => stateOf(database, id)).toBe("cancelled");
  expect((await statesOf(database, id)).slice(0, 2)).toEqual(["cancelled", "succeeded"]);
});
