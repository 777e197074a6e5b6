import type { Database } from "@reeve/store";
import { expect, test } from "vitest";
import type { AgentEar, Held, OfferedStep } from "./runs.ts";
import { admit, draft, held, identityOf, joinAgent, statesOf, step, testBench } from "./testing.ts";

const waitsForLimit = step("holds", {
  limit: { key: "disk", most: 1 },
  retry: { times: 1, delayMs: 3_600_000 },
});

/**
 * An engine that is to decide at once about a run's first step, which an agent may take meanwhile, and about its second one, whose
 * retry needs a limit that somebody holds. What `meanwhile` does is committed after it has seen both and before it writes.
 */
async function whileDeciding(database: Database, run: string, meanwhile: () => Promise<void>): Promise<void> {
  const retries = () => database.query("select 1 from step where run = $1 and reason = 'retry'", [run]);
  await expect.poll(async () => (await retries()).length).toBe(1);
  const blocked = () =>
    database.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
  await database.transact(async (sql) => {
    await sql.query("select 1 from run_limit for update");
    await database.query("update step set wake_at = now() where run = $1", [run]);
    await expect.poll(async () => (await blocked()).length).toBe(1);
    await meanwhile();
  });
  const decided = async () =>
    (await database.query("select 1 from step where run = $1 and wake_at <= now()", [run])).length;
  await expect.poll(decided).toBe(0);
}

async function payIs(database: Database, run: string): Promise<string | undefined> {
  return (await statesOf(database, run))[0];
}

test("what is accepted while the engine decides about it stays accepted", async () => {
  const { database, runs, agent } = await testBench();
  const heard: OfferedStep[] = [];
  const slow: AgentEar = { offer: (offers) => void heard.push(...offers), stop() {}, farewell() {} };
  const { uid, session } = agent;
  const hello = { uid, identity: identityOf(uid), session, slots: 2, executors: ["noop"], facts: {} };
  await runs.agents.hello({ ...hello, inventory: [], number: 0 }, slow);
  const pay = step("pay", { effect: "at-most-once", timeouts: { startMs: 3_600_000 } });
  const id = await admit(database, runs, draft({ steps: [pay, waitsForLimit] }));
  await expect.poll(() => heard.length).toBe(2);
  const [paying, holding] = heard.sort((a, b) => a.seq - b.seq).map(held) as [Held, Held];
  await runs.agents.finish(uid, session, [{ ...holding, outcome: "failed", why: "no", final: false }], 0);
  await whileDeciding(database, id, async () => {
    expect(await runs.agents.accept(uid, session, [paying], 0)).toMatchObject([{ ruling: "ok" }]);
  });
  expect(await payIs(database, id)).toBe("running");
});

test("what an agent takes while the engine decides that nothing began it is that agent's", async () => {
  const { database, runs, agent } = await testBench((offer) =>
    offer.step === "holds" ? { outcome: "failed", why: "no" } : "never",
  );
  const pay = step("pay", { effect: "at-most-once", selector: "zone=b", timeouts: { startMs: 3_600_000 } });
  const id = await admit(database, runs, draft({ steps: [pay, waitsForLimit] }));
  await expect.poll(() => agent.offers.length).toBe(1);
  await database.query("update step set ready_at = now() - interval '1 day' where run = $1", [id]);
  await whileDeciding(database, id, async () => {
    await joinAgent(database, runs, () => "never", { labels: { zone: "b" } });
    await expect.poll(() => payIs(database, id)).toBe("running");
  });
  expect(await payIs(database, id)).toBe("running");
});
