import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { admit, draft, held, joinAgent, stateOf, statesOf, step, testRuns } from "../../core/runs/testing.ts";
import { openDatabase } from "../../core/store/database.ts";
import { coreMigrations, migrate, readMigrations } from "../../core/store/migrate.ts";
import { areaMigrations } from "../../core/store/testing-setup.ts";
import { openBench } from "../harness/bench.ts";
import { startPostgres } from "../harness/private-postgres.ts";
import { root } from "../harness/processes.ts";
import { openProxy } from "../harness/tcp-proxy.ts";

/** The traps that others fell into, each with the tests that keep us out of it. */
const traps: readonly (readonly [trap: string, file: string, test: string])[] = [
  [
    "delivered is not received",
    "core/runs/traps.test.ts",
    "an offer that nobody accepts goes back, and is offered again",
  ],
  ["delivered is not received", "core/agent/agent.test.ts", "an accept that nobody ruled on is sent again"],
  ["a ghost agent knocks for ever", "core/agent/link/link.test.ts", "Code.Unauthenticated, Code.NotFound"],
  [
    "a ghost agent knocks for ever",
    "core/agent/agent.test.ts",
    "an agent whose identity is gone stops what it runs",
  ],
  ["ended well with the job orphaned", "core/runs/leases.test.ts", "what it no longer has is done again"],
  ["ended well with the job orphaned", "core/runs/operations.test.ts", "what takes too long to start"],
  [
    "heartbeat starved by the work",
    "core/agent/link/link.test.ts",
    "work that waits to be sent does not delay a beat",
  ],
  ["heartbeat starved by the work", "tests/weather/runs-busy.test.ts", "starve no heartbeat"],
  [
    "no heartbeat is never reaped",
    "core/runs/traps.test.ts",
    "an agent that never beats is lost all the same",
  ],
  ["rescue by age", "core/runs/traps.test.ts", "nothing is rescued by its age"],
  ["commit unknown at finish", "core/runs/engine.test.ts", "a repeated finish hears ok again"],
  [
    "commit unknown at finish",
    "core/runs/leases.test.ts",
    "a finish that was recorded is known when its agent comes back",
  ],
  ["commit unknown at finish", "tests/weather/runs-traps.test.ts", "whose COMMIT was cut"],
  [
    "the first sweep after an outage",
    "core/runs/leases.test.ts",
    "leases are extended before anybody is declared lost",
  ],
  [
    "the first sweep after an outage",
    "tests/weather/runs-outage.test.ts",
    "none repeated, lost or declared dead",
  ],
];

test.each(traps)("%s is tested in %s", (_, file, name) => {
  expect(readFileSync(join(root, file), "utf8")).toContain(name);
});

test.each(["before", "after"] as const)(
  "a finish whose COMMIT was cut %s it happened is recorded once, and its agent hears ok",
  async (when) => {
    const bench = openBench(onTestFinished);
    const postgres = await startPostgres(bench);
    const proxy = await openProxy(bench, postgres.port);
    const database = openDatabase({ url: postgres.url(), connections: 2 });
    await migrate(database, await readMigrations([coreMigrations, ...areaMigrations()]));
    const url = postgres.url().replace(`:${postgres.port}/`, `:${proxy.port}/`);
    const cuttable = openDatabase({ url, connections: 4 });
    const runs = testRuns(cuttable);
    onTestFinished(async () => {
      await runs.stop();
      await Promise.all([cuttable.close(), database.close()]);
    });
    const agent = await joinAgent(cuttable, runs, () => "never");
    const id = await admit(cuttable, runs, draft({ steps: [step("a"), step("b", { needs: [0] })] }));
    await expect.poll(() => statesOf(database, id)).toEqual(["running", "blocked"]);
    const [first] = agent.offers;
    if (first === undefined) throw new Error("nothing was offered");
    proxy.cutCommits(when, 1);
    expect(await agent.finish(held(first), { outputs: { rows: 3 } })).toBe("ok");
    expect(proxy.cut[when]).toBe(1);
    expect(await agent.finish(held(first))).toBe("ok");
    await expect.poll(() => agent.offers.length).toBe(2);
    await agent.finish(held(agent.offers[1] as typeof first));
    await expect.poll(() => stateOf(database, id)).toBe("succeeded");
    const [row] = await database.query("select outputs from step where run = $1 and seq = 0", [id]);
    expect(row).toEqual({ outputs: { rows: 3 } });
  },
);
