import { newUid } from "@reeve/model";
import type { Database } from "@reeve/store";
import { expect, onTestFinished, test } from "vitest";
import type { Means } from "./begin.ts";
import { openPlans } from "./plans.ts";
import type { Held } from "./runs.ts";
import { settleRun } from "./settle.ts";
import { admit, draft, held, itemsOf, stateOf, statesOf, step, testBench, testRuns } from "./testing.ts";

const approve = { does: "approve", text: "Go on with ${{ inputs.what }}?" } as const;

test("an approval waits with its text; approving goes on, rejecting fails", async () => {
  const { database, runs, operate } = await testBench();
  const graph = { steps: [step("ask", { body: approve }), step("then", { needs: [0] })] };
  const [yes, no] = [draft(graph, { inputs: { what: "it" } }), draft(graph, { inputs: { what: "it" } })];
  await admit(database, runs, yes, no);
  await expect.poll(() => statesOf(database, yes.id)).toEqual(["waiting", "blocked"]);
  const [row] = await database.query("select reason, why from step where run = $1 and seq = 0", [yes.id]);
  expect(row).toEqual({ reason: "approval", why: "Go on with it?" });
  await expect.poll(() => statesOf(database, no.id)).toEqual(["waiting", "blocked"]);
  await operate(yes.id, { does: "approve", seq: 0, note: "fine" });
  await operate(no.id, { does: "reject", seq: 0, note: "not today" });
  await expect.poll(() => stateOf(database, yes.id)).toBe("succeeded");
  await expect.poll(() => stateOf(database, no.id)).toBe("failed");
  await expect(operate(yes.id, { does: "approve", seq: 0, note: "" })).rejects.toThrow("has ended");
});

test("an approval that nobody gives in time fails", async () => {
  const { database, runs } = await testBench();
  const id = await admit(
    database,
    runs,
    draft({ steps: [step("ask", { body: { ...approve, text: "?", expiresMs: 1 } })] }),
  );
  await expect.poll(() => stateOf(database, id)).toBe("failed");
});

test("a paused run begins nothing new, and goes on when resumed", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a"), step("b", { needs: [0] })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "blocked"]);
  await operate(id, { does: "pause" });
  await agent.finish(agent.offers[0] as Held);
  expect(await statesOf(database, id)).toEqual(["succeeded", "waiting"]);
  await operate(id, { does: "resume" });
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "running"]);
  await agent.finish(agent.offers[1] as Held);
  expect(await stateOf(database, id)).toBe("succeeded");
});

test("retry from the failed step repeats it and what follows, and nothing that succeeded", async () => {
  let broken = true;
  const { database, runs, agent, operate } = await testBench((offer) =>
    broken && offer.step === "b" ? { outcome: "failed", why: "no" } : {},
  );
  const graph = { steps: [step("a"), step("b", { needs: [0] }), step("c", { needs: [1] })] };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  await expect(operate(id, { does: "cancel", why: "" })).rejects.toThrow("has ended");
  broken = false;
  await operate(id, { does: "retry", from: "failed" });
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.map((offer) => `${offer.step}${offer.attempt}`)).toEqual(["a1", "b1", "b2", "c1"]);
  await operate(id, { does: "retry", from: "start" });
  await expect.poll(() => agent.offers.length).toBe(7);
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  await expect(operate(id, { does: "retry", from: "failed" })).rejects.toThrow("nothing to retry");
});

test("a run that is retried has all its time anew, also when it is paused and resumed", async () => {
  let fails = true;
  const { database, runs, operate } = await testBench(() => (fails ? { outcome: "failed", why: "no" } : {}));
  const later = step("b", { needs: [0], body: { does: "approve", text: "Go on?" } });
  const id = await admit(database, runs, draft({ steps: [step("a"), later], timeoutMs: 600_000 }));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  // It was long ago.
  await database.query("update run set started_at = now() - interval '1 day' where id = $1", [id]);
  fails = false;
  await operate(id, { does: "retry", from: "failed" });
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "waiting"]);
  await operate(id, { does: "pause" });
  await operate(id, { does: "resume" });
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "waiting"]);
  await operate(id, { does: "approve", seq: 1, note: "" });
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("retry from the failed step repeats only the items that failed, under new epochs", async () => {
  let broken = true;
  const { database, runs, agent, operate } = await testBench((offer) =>
    broken && offer.with.item === 2
      ? { outcome: "failed", why: "no" }
      : { outputs: { item: offer.with.item ?? null } },
  );
  const body = { does: "execute", executor: "noop", with: { item: "${{ item }}" } } as const;
  const graph = { steps: [step("each", { over: { items: [1, 2, 3] }, body }), step("then", { needs: [0] })] };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  broken = false;
  await operate(id, { does: "retry", from: "failed" });
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers.map((offer) => `${offer.step}/${offer.epoch}`).sort()).toEqual([
    "each[0]/1",
    "each[1]/1",
    "each[1]/2",
    "each[2]/1",
    "then/1",
  ]);
  await operate(id, { does: "retry", from: "start" });
  await expect.poll(() => agent.offers.length).toBe(9);
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  // An agent that still has an old item must not end the new one of the same place.
  const epochs = agent.offers.filter((offer) => offer.step === "each[1]").map((offer) => offer.epoch);
  expect(epochs).toEqual([1, 2, 3]);
});

test("cancelling ends a pause: cleanup is done, also what waited for the run to be resumed, and the run ends", async () => {
  const { database, runs, agent, operate } = await testBench((offer) =>
    offer.step.startsWith("tidy") ? {} : "never",
  );
  const tidy = (name: string, more: object = {}) =>
    step(name, { needs: [0], rule: "all-done", cleanup: true, ...more });
  const open = await admit(database, runs, draft({ steps: [step("a"), tidy("tidy")] }));
  const over = { over: { items: [1, 2], atOnce: 1 } };
  const ended = await admit(
    database,
    runs,
    draft({ steps: [step("a"), tidy("tidy"), tidy("tidy-each", over)] }),
  );
  await expect.poll(() => agent.offers.length).toBe(2);
  await operate(open, { does: "pause" });
  await operate(ended, { does: "pause" });
  const [first, second] = [open, ended].map((id) => agent.offers.find(({ run }) => run === id) as Held);
  await agent.finish(second as Held);
  await expect.poll(() => itemsOf(database, ended)).toEqual(["paused", "paused"]);
  await operate(open, { does: "cancel", why: "enough" });
  await operate(ended, { does: "cancel", why: "enough" });
  await agent.finish(first as Held, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => stateOf(database, open)).toBe("cancelled");
  await expect.poll(() => stateOf(database, ended)).toBe("cancelled");
  expect(await statesOf(database, open)).toEqual(["cancelled", "succeeded"]);
  expect(await statesOf(database, ended)).toEqual(Array(5).fill("succeeded"));
});

test("a step that has not begun can be skipped, also as if it had succeeded", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const graph = { steps: [step("a"), step("b", { needs: [0] }), step("c", { needs: [1] })] };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "blocked", "blocked"]);
  await expect(operate(id, { does: "skip", seq: 0 })).rejects.toThrow("an agent has it");
  await operate(id, { does: "skip", seq: 1, as: "succeeded" });
  await agent.finish(agent.offers[0] as Held);
  await expect.poll(() => statesOf(database, id)).toEqual(["succeeded", "succeeded", "running"]);
});

/** Offered, and its agent has not said a word since. */
async function offeredOnly(database: Database, id: string): Promise<void> {
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await database.query("update step set state = 'offered', started_at = null where run = $1", [id]);
}

test("after an acknowledged cancel an offer on its way is refused, if it begins with its accept", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a", { effect: "at-most-once" })] }));
  await offeredOnly(database, id);
  await operate(id, { does: "cancel", why: "no" });
  const [verdict] = await runs.agents.accept(agent.uid, agent.session, [held(agent.offers[0] as Held)], 1);
  expect(verdict?.ruling).toBe("fenced");
  expect(await stateOf(database, id)).toBe("cancelled");
});

test("an offer that may have begun is told to stop, and the run is cancelled when its agent says so", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await offeredOnly(database, id);
  await operate(id, { does: "cancel", why: "no" });
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  const a = held(agent.offers[0] as Held);
  const [verdict] = await runs.agents.accept(agent.uid, agent.session, [a], 1);
  expect([verdict?.ruling, await stateOf(database, id)]).toEqual(["ok", "running"]);
  await agent.finish(a, { outcome: "cancelled", why: "no" });
  await expect.poll(() => stateOf(database, id)).toBe("cancelled");
});

test("one that was cancelled and lost before it was accepted ends cancelled, and is not offered again", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await offeredOnly(database, id);
  await operate(id, { does: "cancel", why: "no" });
  await agent.hello();
  expect(await stateOf(database, id)).toBe("cancelled");
  expect(agent.offers.length).toBe(1);
});

test("a hello that tells of an offer is its accept, if it may have begun", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const graph = { steps: [step("a"), step("b", { effect: "at-most-once" })] };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "running"]);
  await database.query("update step set state = 'offered', started_at = null where run = $1", [id]);
  await agent.hello(agent.offers.map(held));
  expect(await statesOf(database, id)).toEqual(["running", "offered"]);
});

test("a step begins another run, ends as that run ends, and has its outputs; cancelling reaches it", async () => {
  const child = {
    steps: [step("inner")],
    outputs: { twice: "${{ inputs.n * 2 }}" },
  };
  const { database, runs, agent, operate } = await testBench(
    (offer) => (offer.with.hang === true ? "never" : {}),
    {
      hooks: {
        draft: async (scope, { name, inputs }) => ({
          ...{ scope, inputs, about: { kind: "Workflow", name, uid: newUid(), generation: 1 } },
          graph:
            name === "slow"
              ? {
                  steps: [
                    step("hang", { body: { does: "execute", executor: "noop", with: { hang: true } } }),
                  ],
                }
              : child,
        }),
      },
    },
  );
  const body = { does: "run", kind: "Workflow", name: "double", inputs: { n: "${{ inputs.n }}" } } as const;
  const graph = { steps: [step("sub", { body })], outputs: { got: "${{ steps.sub.outputs.twice }}" } };
  const id = await admit(database, runs, draft(graph, { inputs: { n: 4 } }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(await database.query("select outputs from run where id = $1", [id])).toEqual([
    { outputs: { got: 8 } },
  ]);
  const slow = await admit(
    database,
    runs,
    draft({ steps: [step("sub", { body: { ...body, name: "slow" } })] }, { inputs: { n: 1 } }),
  );
  await expect.poll(() => agent.offers.some((offer) => offer.step === "hang")).toBe(true);
  await operate(slow, { does: "cancel", why: "enough" });
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  const hanging = agent.offers.find((offer) => offer.step === "hang") as Held;
  await agent.finish(hanging, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => stateOf(database, slow)).toBe("cancelled");
});

test("a run that is cancelled after its last step has ended, and before it was settled, still ends", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never", { works: false });
  const id = await admit(database, runs, draft({ steps: [step("a")], outputs: { all: 1 } }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await agent.finish(agent.offers[0] as Held);
  expect(await stateOf(database, id)).toBe("running");
  await operate(id, { does: "cancel", why: "enough" });
  const working = testRuns(database);
  onTestFinished(() => working.stop());
  await expect.poll(() => stateOf(database, id)).toBe("cancelled");
});

test("a newer run pushes the older out; one too many is given up", async () => {
  const { database, runs, agent } = await testBench(() => (agent.offers.length > 1 ? {} : "never"));
  const limit = { key: "k", most: 1, over: "cancel" } as const;
  const first = await admit(database, runs, draft({ steps: [step("a")], limit }));
  await expect.poll(() => statesOf(database, first)).toEqual(["running"]);
  const skip = await admit(database, runs, draft({ steps: [step("a")], limit: { ...limit, over: "skip" } }));
  expect(await stateOf(database, skip)).toBe("skipped");
  const second = await admit(database, runs, draft({ steps: [step("a")], limit }));
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  expect(await stateOf(database, second)).toBe("queued");
  await agent.finish(agent.offers[0] as Held, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => stateOf(database, first)).toBe("cancelled");
  await expect.poll(() => stateOf(database, second)).toBe("succeeded");
});

test("the older are pushed out by another replica, if the one that was about to has died", async () => {
  const { database, runs } = await testBench(() => "never", { works: false });
  const limit = { key: "k", most: 1, over: "cancel" } as const;
  const first = await admit(database, runs, draft({ steps: [step("a")], limit }));
  await expect.poll(() => statesOf(database, first)).toEqual(["running"]);
  const second = await admit(database, runs, draft({ steps: [step("a")], limit }));
  // It got as far as to commit this, and a while has gone by.
  const means = { plans: openPlans() } as Means;
  const { pushes } = await database.transact((sql) => settleRun(sql, { id: second, parentRun: null }, means));
  expect(pushes).toEqual([first]);
  await database.query("update run set wake_at = wake_at - interval '1 minute' where id = $1", [second]);
  const working = testRuns(database);
  onTestFinished(() => working.stop());
  const told = () => database.query("select why from run where id = $1", [first]);
  await expect.poll(told).toEqual([{ why: "a newer run took its place" }]);
});

test("a run that was to push others out ends while it is queued, if all of it is skipped", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const limit = { key: "k", most: 1, over: "cancel" } as const;
  await admit(database, runs, draft({ steps: [step("a")], limit }));
  await expect.poll(() => agent.offers.length).toBe(1);
  const second = await admit(database, runs, draft({ steps: [step("a")], limit }));
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  await operate(second, { does: "skip", seq: 0 });
  await expect.poll(() => stateOf(database, second)).toBe("succeeded");
});

test("what takes too long to start, or in all, fails; a run that takes too long fails", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const nobody = { selector: "zone=nowhere" };
  const late = await admit(
    database,
    runs,
    draft({ steps: [step("a", { ...nobody, timeouts: { startMs: 50 } })] }),
  );
  await expect.poll(() => stateOf(database, late)).toBe("failed");
  const long = await admit(database, runs, draft({ steps: [step("a", { timeouts: { overallMs: 300 } })] }));
  await expect.poll(() => agent.stops.some(({ run }) => run === long)).toBe(true);
  await agent.finish(agent.offers[0] as Held, { outcome: "cancelled", why: "stopped" });
  expect(await stateOf(database, long)).toBe("failed");
  const run = await admit(
    database,
    runs,
    draft({ steps: [step("a", nobody), step("b", { needs: [0] })], timeoutMs: 100 }),
  );
  await expect.poll(() => stateOf(database, run)).toBe("failed");
  expect(await statesOf(database, run)).toEqual(["cancelled", "cancelled"]);
});
