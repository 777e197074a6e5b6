import { expect, onTestFinished, test } from "vitest";
import type { RunDraft } from "./runs.ts";
import { admit, draft, joinAgent, stateOf, statesOf, step, testBench, testRuns } from "./testing.ts";

test("a run of one step is offered, accepted, finished, and succeeds", async () => {
  const { database, runs, agent } = await testBench();
  const id = await admit(database, runs, draft({ steps: [step("hello")] }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(agent.offers).toMatchObject([
    { run: id, seq: 0, epoch: 1, attempt: 1, executor: "noop", step: "hello" },
  ]);
});

test("steps run in the order of their needs, and a failure skips what needs it", async () => {
  const { database, runs, agent } = await testBench((offer) =>
    offer.step === "b" ? { outcome: "failed", why: "exit code 1" } : {},
  );
  const graph = {
    steps: [
      step("a"),
      step("b", { needs: [0] }),
      step("c", { needs: [0] }),
      step("d", { needs: [1, 2] }),
      step("e", { needs: [1], rule: "any-failed" }),
      step("f", { needs: [3], rule: "all-done" }),
    ],
  };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  expect(await statesOf(database, id)).toEqual([
    "succeeded",
    "failed",
    "succeeded",
    "skipped",
    "succeeded",
    "succeeded",
  ]);
  expect(agent.offers[0]?.step).toBe("a");
});

test("conditions and outputs decide, and fill what follows", async () => {
  const { database, runs, agent } = await testBench((offer) =>
    offer.step === "make" ? { outputs: { size: 7 } } : {},
  );
  const body = {
    does: "execute",
    executor: "noop",
    with: { size: "${{ steps.make.outputs.size }}" },
  } as const;
  const graph = {
    steps: [
      step("make"),
      step("big", { needs: [0], when: "steps.make.outputs.size > 5", body }),
      step("small", { needs: [0], when: "steps.make.outputs.size <= 5" }),
    ],
    outputs: { size: "${{ steps.make.outputs.size + inputs.more }}" },
  };
  const id = await admit(database, runs, draft(graph, { inputs: { more: 1 } }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(await statesOf(database, id)).toEqual(["succeeded", "succeeded", "skipped"]);
  expect(agent.offers.find((offer) => offer.step === "big")?.with).toEqual({ size: 7 });
  const [row] = await database.query("select outputs from run where id = $1", [id]);
  expect(row).toEqual({ outputs: { size: 8 } });
});

test("large fan-outs go on in the next transaction, and one with which its run would have too many steps fails", async () => {
  const { database, runs } = await testBench(() => "never");
  const over = (count: number) => ({ over: { items: Array.from({ length: count }, () => 0) } });
  const large = draft({ steps: [step("a", over(20_000)), step("b", over(2))] });
  const full = draft({ steps: [step("a", over(20))] });
  await database.transact(async (sql) => {
    await runs.admit(sql, [large, full]);
    await sql.query("update run set open = 199990 where id = $1", [full.id]);
  });
  runs.wake();
  const count = "select count(*) as count from step where run = $1 and parent is not null";
  await expect.poll(() => database.query(count, [large.id])).toEqual([{ count: 20_002 }]);
  const failed = "select why from step where run = $1 and state = 'failed'";
  await expect.poll(() => database.query(failed, [full.id])).toHaveLength(1);
  const [{ why } = { why: "" }] = await database.query<{ why: string }>(failed, [full.id]);
  expect(why).toContain("the run would have 200010 steps to do; at most 200000 can be");
});

test("a fan-out whose items give back more than a replica should hold fails, and says so", async () => {
  const large = { text: "x".repeat(250_000) };
  const { database, runs } = await testBench(() => ({ outputs: large }));
  const items = Array.from({ length: 36 }, () => 0);
  const id = await admit(database, runs, draft({ steps: [step("load", { over: { items } })] }));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  const [row] = await database.query<{ why: string }>("select why from run where id = $1", [id]);
  expect(row?.why).toMatch(/^load failed: the outputs of its items are 900\d+ bytes together/);
});

test("a fan-out is done for each item, no more at once than it says, and gives a list of outputs", async () => {
  let now = 0;
  let most = 0;
  const { database, runs } = await testBench(async (offer) => {
    now++;
    most = Math.max(most, now);
    await new Promise(setImmediate);
    now--;
    return { outputs: { got: offer.with.item ?? null } };
  });
  const body = { does: "execute", executor: "noop", with: { item: "${{ item }}" } } as const;
  const graph = {
    steps: [step("load", { over: { items: "inputs.list", atOnce: 2 }, body }), step("after", { needs: [0] })],
    outputs: { all: "${{ steps.load.outputs.map(o, o.got) }}" },
  };
  const list = ["a", "b", "c", "d", "e"];
  const id = await admit(database, runs, draft(graph, { inputs: { list } }));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(most).toBe(2);
  const [row] = await database.query("select outputs, open from run where id = $1", [id]);
  expect(row).toEqual({ outputs: { all: list }, open: 0 });
});

test("an item that ends gives its place to the next, on the agent with the most room; a paused run begins none", async () => {
  const { database, runs, agent, operate } = await testBench(() => "never");
  const { offers } = agent;
  const items = [0, 1, 2, 3, 4, 5, 6, 7];
  const load = step("load", { over: { items: "inputs.items", atOnce: 2 } });
  const id = await admit(database, runs, draft({ steps: [load] }, { inputs: { items } }));
  const names = (given: typeof offers) => given.map((offer) => offer.step);
  const underWay = () =>
    database.query("select 1 from step where run = $1 and state in ('ready', 'offered', 'running')", [id]);
  const end = async (some: readonly (typeof offers)[number][]) => {
    for (const offer of some) expect(await agent.finish(offer)).toBe("ok");
  };
  await expect.poll(() => names(offers)).toEqual(["load[0]", "load[1]"]);
  await end(offers.slice(0, 2));
  expect(names(offers)).toEqual(["load[0]", "load[1]", "load[2]", "load[3]"]);
  expect(await underWay()).toHaveLength(2);
  expect(runs.figures.claimed).toBe(2);

  await operate(id, { does: "pause" });
  await end(offers.slice(2, 3));
  expect(await underWay()).toHaveLength(1);
  await operate(id, { does: "resume" });
  await expect.poll(() => offers.length).toBe(5);

  const other = await joinAgent(database, runs, () => ({}), { slots: 100 });
  await end(offers.slice(3, 4));
  await expect.poll(() => other.offers.length).toBeGreaterThan(0);
  await end(offers.slice(4));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
});

test("a failed attempt is retried as often as it may, and the attempts before are kept", async () => {
  const { database, runs, agent } = await testBench(() => ({
    outcome: "failed",
    why: "exit code 1",
    exitCode: 1,
  }));
  const id = await admit(database, runs, draft({ steps: [step("a", { retry: { times: 2, delayMs: 1 } })] }));
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  expect(agent.offers.map((offer) => [offer.attempt, offer.epoch])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  const past = await database.query(
    "select attempt, state, exit_code from step_attempt where run = $1 order by epoch",
    [id],
  );
  expect(past).toEqual([
    { attempt: 1, state: "failed", exit_code: 1 },
    { attempt: 2, state: "failed", exit_code: 1 },
  ]);
});

test("a stale epoch is fenced, and a repeated finish hears ok again", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const held = { run: id, seq: 0, epoch: 1 };
  expect(await agent.finish({ ...held, epoch: 0 })).toBe("fenced");
  expect(await agent.finish(held)).toBe("ok");
  expect(await agent.finish(held)).toBe("ok");
  expect(await stateOf(database, id)).toBe("succeeded");
});

test("a run waits for its limit, and begins when there is room", async () => {
  const { database, runs, agent } = await testBench(() => "never");
  const limit = { key: "one", most: 1, over: "queue" } as const;
  const drafts = [1, 2, 3].map(() => draft({ steps: [step("a")], limit }));
  await admit(database, runs, ...drafts);
  const states = () => Promise.all(drafts.map(({ id }) => stateOf(database, id)));
  await expect.poll(() => agent.offers.length).toBe(1);
  expect(await states()).toEqual(["running", "queued", "queued"]);
  for (let at = 0; at < 3; at++) {
    await expect.poll(() => agent.offers.length).toBe(at + 1);
    await expect.poll(() => agent.finish(agent.offers[at] as never)).toBe("ok");
  }
  await expect.poll(states).toEqual(["succeeded", "succeeded", "succeeded"]);
});

test("whoever comes when there is room, and others are still queued for it, comes after them", async () => {
  const { database, runs } = await testBench(() => "never", { works: false });
  const limit = { key: "one", most: 1, over: "queue" } as const;
  const drafts = [1, 2, 3].map(() => draft({ steps: [step("a")], limit }));
  const [first, second, third] = drafts as [RunDraft, RunDraft, RunDraft];
  const states = () => Promise.all(drafts.map(({ id }) => stateOf(database, id)));
  await admit(database, runs, first, second);
  // It has ended, and nobody has let the next one begin yet.
  await database.query("update step set state = 'succeeded', ended_at = now() where run = $1", [first.id]);
  await database.query("update run set state = 'succeeded', ended_at = now() where id = $1", [first.id]);
  await admit(database, runs, third);
  expect(await states()).toEqual(["succeeded", "queued", "queued"]);
  const working = testRuns(database);
  onTestFinished(() => working.stop());
  await expect.poll(states).toEqual(["succeeded", "running", "queued"]);
});

test("whoever has room by its own bound begins, is not given up and pushes nobody, though one with a lower bound be queued", async () => {
  const { database, runs } = await testBench(() => "never");
  const under = (most: number, over: "queue" | "skip" | "cancel") =>
    draft({ steps: [step("a")], limit: { key: "one", most, over } });
  const [long, narrow, skips, pushes] = [
    under(1, "queue"),
    under(1, "queue"),
    under(3, "skip"),
    under(4, "cancel"),
  ];
  const drafts = [long, narrow, skips, pushes] as RunDraft[];
  for (const one of drafts) await admit(database, runs, one);
  const states = () => Promise.all(drafts.map(({ id }) => stateOf(database, id)));
  expect(await states()).toEqual(["running", "queued", "running", "running"]);
  const late = [under(4, "skip"), under(4, "queue"), under(4, "cancel")] as RunDraft[];
  await admit(database, runs, late[0] as RunDraft, late[1] as RunDraft);
  expect(await stateOf(database, late[0]?.id ?? "")).toBe("skipped");
  expect(await stateOf(database, late[1]?.id ?? "")).toBe("queued");
  await admit(database, runs, late[2] as RunDraft);
  await expect.poll(() => stateOf(database, narrow?.id ?? "")).toBe("cancelled");
});

test("a run that another one waits for does not wait behind those that wait for that one", async () => {
  const limit = (most: number) => ({ key: "one", most, over: "queue" }) as const;
  const child = draft({ steps: [step("inner")], limit: limit(2) });
  const { id: _id, cause: _cause, by: _by, ...inner } = child;
  const { database, runs, agent } = await testBench(() => "never", { hooks: { draft: async () => inner } });
  const begins = step("begins", {
    needs: [0],
    body: { does: "run", kind: "Workflow", name: "inner", inputs: {} },
  });
  const parent = draft({ steps: [step("first"), begins], limit: limit(2) });
  const beside = draft({ steps: [step("a")], limit: limit(2) });
  const narrow = draft({ steps: [step("a")], limit: limit(1) });
  await admit(database, runs, parent, beside, narrow);
  const finish = async (run: string) => {
    await expect.poll(() => agent.offers.some((offer) => offer.run === run)).toBe(true);
    await expect
      .poll(() => agent.finish(agent.offers.find((offer) => offer.run === run) as never))
      .toBe("ok");
  };
  await finish(parent.id);
  const inside = async () => {
    const rows = await database.query<{ id: string; state: string }>(
      "select id, state from run where parent_run = $1",
      [parent.id],
    );
    return rows[0];
  };
  // There is no room for it yet; when there is, it goes before the one that is queued longer.
  await expect.poll(async () => (await inside())?.state).toBe("queued");
  await finish(beside.id);
  await expect.poll(async () => (await inside())?.state).toBe("running");
  expect(await stateOf(database, narrow.id)).toBe("queued");
  await finish((await inside())?.id ?? "");
  await expect.poll(() => stateOf(database, parent.id)).toBe("succeeded");
  await expect.poll(() => stateOf(database, narrow.id)).toBe("running");
});

test("cancelling ends what has not begun, stops what runs, and still does the cleanup", async () => {
  const { database, runs, agent, operate } = await testBench((offer) =>
    offer.step === "tidy" ? {} : "never",
  );
  const graph = {
    steps: [
      step("long"),
      step("after", { needs: [0] }),
      step("tidy", { needs: [1], rule: "all-done", cleanup: true }),
    ],
  };
  const id = await admit(database, runs, draft(graph));
  await expect.poll(() => statesOf(database, id)).toEqual(["running", "blocked", "blocked"]);
  await operate(id, { does: "cancel", why: "enough" });
  await expect.poll(() => agent.stops.length).toBeGreaterThan(0);
  await agent.finish(agent.offers[0] as never, { outcome: "cancelled", why: "told to stop" });
  await expect.poll(() => stateOf(database, id)).toBe("cancelled");
  expect(await statesOf(database, id)).toEqual(["cancelled", "cancelled", "succeeded"]);
});
