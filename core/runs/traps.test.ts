import { expect, onTestFinished, test } from "vitest";
import type { AgentEar, Held, OfferedStep } from "./runs.ts";
import { admit, draft, held, identityOf, joinAgent, stateOf, statesOf, step, testBench } from "./testing.ts";

/** Traps that others fell into; tests/weather/runs-traps.test.ts names all of them, and where they are tested. */
const shortLease = { leaseMs: 1500, beatMs: 250 };

test("delivered is not received: an offer that nobody accepts goes back, and is offered again", async () => {
  const { database, runs, agent } = await testBench();
  const heard: OfferedStep[] = [];
  const deaf: AgentEar = { offer: (offers) => void heard.push(...offers), stop() {}, farewell() {} };
  // The same agent's next link hears offers and says nothing.
  const { uid, session } = agent;
  await runs.agents.hello(
    {
      uid,
      identity: identityOf(uid),
      session,
      slots: 1,
      executors: ["noop"],
      facts: {},
      inventory: [],
      number: 0,
    },
    deaf,
  );
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => heard.length).toBe(1);
  expect(await statesOf(database, id)).toEqual(["offered"]);
  const other = await joinAgent(database, runs, () => ({}));
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect([...heard, ...other.offers].map(({ epoch }) => epoch)).toEqual([1, 2]);
  expect(await agent.finish(heard[0] as OfferedStep)).toBe("fenced");
});

test("a lease is there from the first moment: an agent that never beats is lost all the same", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const state = async () =>
    (await database.query<{ state: string }>("select state from agent where uid = $1", [agent.uid]))[0]
      ?.state;
  await expect.poll(state).toBe("lost");
  expect(await statesOf(database, id)).toEqual(["ready"]);
  const nullable = await database.query(
    `select column_name from information_schema.columns
     where table_name = 'agent' and column_name in ('lease_until', 'beat_at') and is_nullable = 'YES'`,
  );
  expect(nullable).toEqual([]);
});

test("nothing is rescued by its age: what an agent that beats has is its own, however old", async () => {
  const { database, runs, agent } = await testBench(() => "never", shortLease);
  const beating = setInterval(() => void agent.beat().catch(() => {}), 250);
  onTestFinished(() => clearInterval(beating));
  const id = await admit(database, runs, draft({ steps: [step("a")] }));
  await expect.poll(() => statesOf(database, id)).toEqual(["running"]);
  const old = "now() - interval '30 days'";
  await database.query(
    `update step set started_at = ${old}, offered_at = ${old}, ready_at = ${old}, changed_at = ${old} where run = $1`,
    [id],
  );
  const other = await joinAgent(database, runs, () => ({}));
  const keepsBeating = setInterval(() => void other.beat().catch(() => {}), 250);
  onTestFinished(() => clearInterval(keepsBeating));
  // Several leases, several sweeps: a run that begins and ends meanwhile proves that the engine has looked.
  for (let at = 0; at < 5; at++) {
    const next = await admit(
      database,
      runs,
      draft({ steps: [step("b", { body: { does: "wait", ms: 1000 } })] }),
    );
    await expect.poll(() => stateOf(database, next)).toBe("succeeded");
  }
  expect(await statesOf(database, id)).toEqual(["running"]);
  expect(agent.offers.length).toBe(1);
  expect(await agent.finish(held(agent.offers[0] as OfferedStep))).toBe("ok");
});

test("an attempt that fails before its accept is heard has begun with its offer", async () => {
  const { database, runs, agent } = await testBench();
  const heard: OfferedStep[] = [];
  const quick: AgentEar = { offer: (offers) => void heard.push(...offers), stop() {}, farewell() {} };
  const { uid, session } = agent;
  await runs.agents.hello(
    {
      uid,
      identity: identityOf(uid),
      session,
      slots: 1,
      executors: ["noop"],
      facts: {},
      inventory: [],
      number: 0,
    },
    quick,
  );
  const id = await admit(database, runs, draft({ steps: [step("a", { retry: { times: 1, delayMs: 0 } })] }));
  for (const tries of [1, 2]) {
    await expect.poll(() => heard.length).toBe(tries);
    await agent.finish(held(heard.at(-1) as OfferedStep), {
      outcome: "failed",
      why: "no",
      startedAt: new Date().toISOString(),
    });
  }
  await expect.poll(() => stateOf(database, id)).toBe("failed");
  const [row] = await database.query(
    `select p.started_at = p.offered_at as first, s.started_at = s.offered_at as last
     from step s join step_attempt p on p.run = s.run and p.seq = s.seq where s.run = $1`,
    [id],
  );
  expect(row).toEqual({ first: true, last: true });
});

test("messages that come twice and in another order change nothing", async () => {
  const { database, runs, agent } = await testBench();
  const heard: OfferedStep[] = [];
  const slow: AgentEar = { offer: (offers) => void heard.push(...offers), stop() {}, farewell() {} };
  const { uid, session } = agent;
  const { agents } = runs;
  await agents.hello(
    {
      uid,
      identity: identityOf(uid),
      session,
      slots: 9,
      executors: ["noop"],
      facts: {},
      inventory: [],
      number: 0,
    },
    slow,
  );
  const steps = [step("a"), step("b"), step("c", { needs: [0, 1] })];
  const id = await admit(database, runs, draft({ steps }));
  await expect.poll(() => heard.length).toBe(2);
  const [a, b] = heard.map(held) as [Held, Held];
  const done = (of: Held) => ({ ...of, outcome: "succeeded", why: "", final: false }) as const;
  // The accept twice at once, the finish before the accept, and each finish twice.
  const accepts = await Promise.all([1, 2].map(() => agents.accept(uid, session, [a], 7)));
  expect(accepts.flat().map(({ ruling }) => ruling)).toEqual(["ok", "ok"]);
  const early = await agents.finish(uid, session, [done(b)], 7);
  const late = await agents.accept(uid, session, [b], 7);
  const rest = await Promise.all([1, 2].map(() => agents.finish(uid, session, [done(a), done(b)], 7)));
  expect(rest.flat().filter(({ ruling, seq }) => seq === a.seq && ruling !== "ok")).toEqual([]);
  expect([early[0]?.ruling, late[0]?.ruling]).toEqual(["ok", "fenced"]);
  await expect.poll(() => heard.length).toBe(3);
  const c = held(heard[2] as OfferedStep);
  await agents.accept(uid, session, [c], 7);
  await agents.finish(uid, session, [done(c), done(a)], 7);
  await agents.accept(uid, session, [c, a, b], 7);
  await expect.poll(() => stateOf(database, id)).toBe("succeeded");
  expect(heard.map(({ epoch }) => epoch)).toEqual([1, 1, 1]);
  expect(await database.query("select * from step_attempt where run = $1", [id])).toEqual([]);
});
