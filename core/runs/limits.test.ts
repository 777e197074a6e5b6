import { type GraphStep, itemSeqBase } from "@reeve/model";
import { expect, test } from "vitest";
import type { Held, Standing } from "./runs.ts";
import {
  admit,
  begins,
  definitions,
  draft,
  itemsOf,
  joinAgent,
  stateOf,
  statesOf,
  step,
  testBench,
} from "./testing.ts";

const inner = { steps: [step("inner")] };

test("a fan-out begins no more runs at once than it says, and the next when one has ended", async () => {
  const { database, runs, agent } = await testBench(() => "never", { hooks: definitions({ inner }) });
  const each = step("each", { over: { items: [0, 1, 2, 3, 4], atOnce: 2 }, body: begins("inner") });
  const id = await admit(database, runs, draft({ steps: [each] }));
  const open = () =>
    database
      .query("select 1 from run where parent_run = $1 and ended_at is null", [id])
      .then((rows) => rows.length);
  for (let ended = 0; ended < 5; ended++) {
    await expect.poll(() => agent.offers.length).toBe(Math.min(5, ended + 2));
    await expect.poll(open).toBe(Math.min(2, 5 - ended));
    await agent.finish(agent.offers[ended] as Held);
  }
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test.each([
  ["timer", { does: "wait", ms: 3_600_000 }, { does: "skip" }],
  ["approval", { does: "approve", text: "Go on?" }, { does: "approve", note: "" }],
] as const)("no more items wait for a %s at once than the fan-out says", async (reason, body, operation) => {
  const { database, runs, operate } = await testBench();
  const each = step("each", { over: { items: [0, 1, 2, 3], atOnce: 2 }, body });
  const id = await admit(database, runs, draft({ steps: [each] }));
  await expect.poll(() => itemsOf(database, id)).toEqual([reason, reason, "limit", "limit"]);
  await operate(id, { ...operation, seq: itemSeqBase });
  await expect.poll(() => itemsOf(database, id)).toEqual([expect.any(String), reason, reason, "limit"]);
});

test("no more resources are made at once than the fan-out says", async () => {
  const asked = new Set<string>();
  let standing: Standing = { state: "waiting", why: "half of it" };
  const make = async ({ name }: { name: string }) => {
    asked.add(name);
    return standing;
  };
  const { database, runs } = await testBench(() => ({}), { hooks: { make } });
  const body = { does: "make", kind: "Backup", spec: {} } as const;
  const each = step("each", { over: { items: [0, 1, 2], atOnce: 1 }, body });
  const id = await admit(database, runs, draft({ steps: [each] }));
  await expect.poll(() => asked.size).toBe(1);
  expect(await itemsOf(database, id)).toEqual(["resource", "limit", "limit"]);
  standing = { state: "succeeded", why: "" };
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(asked.size).toBe(3);
});

test("a limit holds what agents do and what they do not: whoever ends makes room for the next", async () => {
  const { database, runs, agent } = await testBench(() => "never", { hooks: definitions({ inner }) });
  const limited = (more: Partial<GraphStep>) =>
    draft({ steps: [step("use", { limit: { key: "disk", most: 1 }, ...more })] });
  const [first, second, third] = [limited({}), limited({ body: begins("inner") }), limited({})] as const;
  for (const one of [first, second, third]) {
    await admit(database, runs, one);
    await expect.poll(() => statesOf(database, one.id)).not.toEqual(["due"]);
  }
  const seen = async (id: string) => {
    const [row] = await database.query("select state, reason from step where run = $1", [id]);
    return row;
  };
  const waits = { state: "waiting", reason: "limit" };
  await expect.poll(() => agent.offers.map(({ run }) => run)).toEqual([first.id]);
  expect([await seen(second.id), await seen(third.id)]).toEqual([waits, waits]);
  await agent.finish(agent.offers[0] as Held);
  await expect.poll(() => agent.offers.map((offer) => offer.step)).toEqual(["use", "inner"]);
  expect([await seen(second.id), await seen(third.id)]).toEqual([{ state: "waiting", reason: "run" }, waits]);
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => agent.offers.at(-1)?.run).toBe(third.id);
  expect(await stateOf(database, second.id)).toBe("succeeded");
});

test("a lost attempt that is decided again waits for its limit, if another has its place by now", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const use = step("use", { limit: { key: "disk", most: 1 }, effect: "at-most-once" });
  const [first, second] = [draft({ steps: [use] }), draft({ steps: [use] })] as const;
  await admit(database, runs, first);
  await expect.poll(() => statesOf(database, first.id)).toEqual(["running"]);
  await admit(database, runs, second);
  await agent.finish(agent.offers[0] as Held, { outcome: "lost", why: "nobody knows" });
  await expect.poll(() => statesOf(database, second.id)).toEqual(["running"]);
  await operate(first.id, { does: "decide", seq: 0, outcome: "again" });
  const seen = () => database.query("select state, reason from step where run = $1", [first.id]);
  await expect.poll(seen).toEqual([{ state: "waiting", reason: "limit" }]);
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => agent.offers.map(({ run }) => run)).toEqual([first.id, second.id, first.id]);
  await agent.finish(agent.offers[2] as Held);
  await expect.poll(() => stateOf(database, first.id)).toBe("succeeded");
});

test("a lost attempt that is decided again waits while its run is paused", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("pay", { effect: "at-most-once" })] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  await agent.finish(agent.offers[0] as Held, { outcome: "lost", why: "nobody knows" });
  await operate(id, { does: "pause" });
  await operate(id, { does: "decide", seq: 0, outcome: "again" });
  const seen = () => database.query("select reason from step where run = $1", [id]);
  await expect.poll(seen).toEqual([{ reason: "paused" }]);
  await operate(id, { does: "resume" });
  await expect.poll(() => agent.offers.length).toBe(2);
});

test("items whose hosts are told by an expression keep to their bound too, and reach those hosts", async () => {
  const { database, runs } = await testBench(() => "never");
  const body = { does: "execute", executor: "noop", with: {} } as const;
  const each = step("each", {
    over: { items: ["a", "b", "a"], atOnce: 2 },
    selector: "zone=${{ item }}",
    body,
  });
  const id = await admit(database, runs, draft({ steps: [each] }));
  await expect.poll(() => itemsOf(database, id)).toEqual(["ready", "ready", "limit"]);
  const a = await joinAgent(database, runs, () => ({}), { labels: { zone: "a" } });
  await expect.poll(() => a.offers.map((offer) => offer.step)).toEqual(["each[0]", "each[2]"]);
});

test("a paused run begins nothing that waited for a limit, whoever makes room", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const each = step("each", { over: { items: [0, 1, 2, 3], atOnce: 2 } });
  const id = await admit(database, runs, draft({ steps: [each] }));
  await expect.poll(() => itemsOf(database, id)).toEqual(["running", "running", "limit", "limit"]);
  await operate(id, { does: "pause" });
  await agent.finish(agent.offers[0] as Held);
  // One that begins and ends meanwhile proves that the engine has looked at what the first one left.
  const other = await admit(database, runs, draft({ steps: [step("b", { body: { does: "wait", ms: 1 } })] }));
  await expect.poll(() => stateOf(database, other)).toBe("succeeded");
  expect(await itemsOf(database, id)).toEqual(["succeeded", "running", "paused", "paused"]);
  await operate(id, { does: "resume" });
  await expect.poll(() => itemsOf(database, id)).toEqual(["succeeded", "running", "running", "limit"]);
});

test("items that were made while their run was paused keep to their bound when it goes on", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const each = step("each", { needs: [0], over: { items: [0, 1, 2], atOnce: 1 } });
  const id = await admit(database, runs, draft({ steps: [step("first"), each] }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await operate(id, { does: "pause" });
  await agent.finish(agent.offers[0] as Held);
  await expect.poll(() => itemsOf(database, id)).toEqual(["paused", "paused", "paused"]);
  await operate(id, { does: "resume" });
  await expect.poll(() => itemsOf(database, id)).toEqual(["running", "limit", "limit"]);
});

test("the key of a step's limit is filled in: another value has a limit of its own", async () => {
  const { database, runs } = await testBench(() => "never");
  const use = step("use", { limit: { key: "disk-${{ inputs.zone }}", most: 1 } });
  const drafts = ["a", "b", "a"].map((zone) => draft({ steps: [use] }, { inputs: { zone } }));
  await admit(database, runs, ...drafts);
  const states = async () => (await Promise.all(drafts.map(({ id }) => statesOf(database, id)))).flat();
  await expect.poll(states).toEqual(["running", "running", "waiting"]);
});

test("the key of a run's limit is filled in: another value has a limit of its own", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const limit = { key: "deploy-${{ inputs.env }}", most: 1, over: "queue" } as const;
  const drafts = ["prod", "stage", "prod"].map((env) =>
    draft({ steps: [step("a")], limit }, { inputs: { env } }),
  );
  await admit(database, runs, ...drafts);
  const states = () => Promise.all(drafts.map(({ id }) => stateOf(database, id)));
  expect(await states()).toEqual(["running", "running", "queued"]);
  await expect.poll(() => agent.offers.length).toBe(2);
  await agent.finish(agent.offers.find(({ run }) => run === drafts[0]?.id) as Held);
  await expect.poll(states).toEqual(["succeeded", "running", "running"]);
});

const oneAtATime = { key: "k", most: 1, over: "queue" } as const;

test("a retried run waits its turn under its limit, before those that were made after it", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const graph = { steps: [step("a"), step("b", { needs: [0] })], limit: oneAtATime };
  const [first, second, third] = [draft(graph), draft(graph), draft(graph)] as const;
  const states = () => Promise.all([first, second, third].map(({ id }) => stateOf(database, id)));
  await admit(database, runs, first, second);
  await expect.poll(() => agent.offers.length).toBe(1);
  await agent.finish(agent.offers[0] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => agent.offers.length).toBe(2);
  await admit(database, runs, third);
  await operate(first.id, { does: "retry", from: "start" });
  expect(await states()).toEqual(["queued", "running", "queued"]);
  const [row] = await database.query("select why, started_at from run where id = $1", [first.id]);
  expect(row).toEqual({ why: "1 of at most 1 under way, 1 queued before it", started_at: null });
  expect(await statesOf(database, first.id)).toEqual(["blocked", "blocked"]);
  await agent.finish(agent.offers[1] as Held, { outcome: "failed", why: "no" });
  await expect.poll(states).toEqual(["running", "failed", "queued"]);
  await expect.poll(() => agent.offers.map(({ run }) => run)).toEqual([first.id, second.id, first.id]);
});

test("only what failed is done again, when the limit of the retried run has room", async () => {
  let broken = true;
  const { database, runs, agent, operate } = await testBench((offer) => {
    if (offer.step === "holds") return "never";
    return broken && offer.with.item === 2 ? { outcome: "failed", why: "no" } : {};
  });
  const body = { does: "execute", executor: "noop", with: { item: "${{ item }}" } } as const;
  const each = step("each", { over: { items: [1, 2] }, body });
  const first = await admit(
    database,
    runs,
    draft({ steps: [each, step("then", { needs: [0] })], limit: oneAtATime }),
  );
  await expect.poll(() => stateOf(database, first)).toBe("failed");
  await admit(database, runs, draft({ steps: [step("holds")], limit: oneAtATime }));
  await expect.poll(() => agent.offers.at(-1)?.step).toBe("holds");
  broken = false;
  await operate(first, { does: "retry", from: "failed" });
  expect(await statesOf(database, first)).toEqual(["waiting", "blocked", "succeeded", "blocked"]);
  await agent.finish(agent.offers.at(-1) as Held);
  await expect.poll(() => stateOf(database, first)).toBe("succeeded");
  expect(agent.offers.slice(3).map((offer) => offer.step)).toEqual(["each[1]", "then"]);
});

test("a retried run that is queued can be cancelled, and is still tidied up after", async () => {
  const { database, runs, agent, operate } = await testBench((offer) =>
    offer.step === "tidy" ? {} : offer.step === "a" ? { outcome: "failed", why: "no" } : "never",
  );
  const tidy = step("tidy", { needs: [0], rule: "all-done", cleanup: true });
  const first = await admit(database, runs, draft({ steps: [step("a"), tidy], limit: oneAtATime }));
  await expect.poll(() => stateOf(database, first)).toBe("failed");
  await admit(database, runs, draft({ steps: [step("holds")], limit: oneAtATime }));
  await operate(first, { does: "retry", from: "failed" });
  expect(await stateOf(database, first)).toBe("queued");
  await operate(first, { does: "cancel", why: "enough" });
  await expect.poll(() => stateOf(database, first)).toBe("cancelled");
  expect(await statesOf(database, first)).toEqual(["cancelled", "succeeded"]);
  expect(agent.offers.filter((offer) => offer.step === "tidy")).toHaveLength(2);
});

test("a run that does not wait for its limit is not retried while that is reached, and says by whom", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const graph = { steps: [step("a")], limit: { ...oneAtATime, over: "skip" } as const };
  const first = await admit(database, runs, draft(graph));
  await expect.poll(() => agent.offers.length).toBe(1);
  await agent.finish(agent.offers[0] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => stateOf(database, first)).toBe("failed");
  const second = await admit(database, runs, draft(graph));
  await expect.poll(() => agent.offers.length).toBe(2);
  const retry = () => operate(first, { does: "retry", from: "start" });
  await expect(retry()).rejects.toMatchObject({
    kind: "precondition",
    message: `the run cannot be retried: 1 of at most 1 under way: test ${second.slice(-8)}`,
  });
  expect(await stateOf(database, first)).toBe("failed");
  const skipped = await admit(database, runs, draft(graph));
  await expect(operate(skipped, { does: "retry", from: "start" })).rejects.toThrow("before it had any steps");
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => stateOf(database, second)).toBe("succeeded");
  await retry();
  expect(await stateOf(database, first)).toBe("running");
});

test("where newer runs cancel older ones, a retried run does so too, and waits for those that are newer", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const graph = { steps: [step("a")], limit: { ...oneAtATime, over: "cancel" } as const };
  const [older, retried, newer] = [draft(graph), draft(graph), draft(graph)] as const;
  await admit(database, runs, retried);
  await expect.poll(() => agent.offers.length).toBe(1);
  await agent.finish(agent.offers[0] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => stateOf(database, retried.id)).toBe("failed");
  await admit(database, runs, newer);
  await expect.poll(() => agent.offers.length).toBe(2);
  await operate(retried.id, { does: "retry", from: "start" });
  const looked = () => database.query("select 1 from run where id = $1 and wake_at > now()", [retried.id]);
  await expect.poll(looked).toHaveLength(1);
  const states = (...some: { id: string }[]) => Promise.all(some.map(({ id }) => stateOf(database, id)));
  expect(await states(retried, newer)).toEqual(["queued", "running"]);
  await agent.finish(agent.offers[1] as Held);
  await expect.poll(() => agent.offers.length).toBe(3);
  expect(agent.offers[2]?.run).toBe(retried.id);
  await agent.finish(agent.offers[2] as Held, { outcome: "failed", why: "no" });
  await expect.poll(() => stateOf(database, retried.id)).toBe("failed");
  await admit(database, runs, older);
  await expect.poll(() => agent.offers.length).toBe(4);
  await operate(retried.id, { does: "retry", from: "start" });
  await expect.poll(() => agent.stops.map(({ run }) => run)).toContain(older.id);
  await agent.finish(agent.offers[3] as Held, { outcome: "cancelled", why: "stopped" });
  await expect.poll(() => states(older, retried, newer)).toEqual(["cancelled", "running", "succeeded"]);
});
