import { afterAll, expect, test } from "vitest";
import { joinToken } from "../harness/agent-process.ts";
import { setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { linkAgent } from "../harness/linked-agent.ts";
import { startPostgres } from "../harness/private-postgres.ts";
import { startReplica } from "../harness/replicas.ts";
import { until } from "../harness/until.ts";

const bench = openBench(afterAll);
const count = 500;
/** The crowd is in this process: while it connects, an answer may take longer than a client of Postgres waits. */
const patient = <T>(ask: () => Promise<T>) => until("an answer of Postgres", ask, 60_000);

test("500 agents that lose their server at once are all back, and none is taken for lost", {
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres(bench);
  const replica = await startReplica(bench, "only", postgres.url(), { REEVE_ANONYMOUS_PER_MINUTE: "100000" });
  const api = await setUp(replica.url, replica.server.setupLink);
  const token = await joinToken(api, "crowd", { uses: count });
  const urls = [`https://127.0.0.1:${replica.agentPort}`];
  let joined = 0;
  const lane = async () => {
    while (joined < count) await linkAgent(bench, { urls, token, name: `agent-${joined++}` });
  };
  await Promise.all(Array.from({ length: 16 }, lane));
  const states = async () => {
    const rows = await postgres.query<{ state: string; count: number }>(
      "select state, count(*)::int as count from agent group by state",
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  await until("all to be connected", async () => (await states()).connected === count, 60_000);
  // Whatever happens to an agent from now on.
  await postgres.query("create table seen_loss (name text)");
  await postgres.query(
    `create function see_loss() returns trigger language plpgsql as $$ begin
       insert into seen_loss values (new.name); return null; end $$`,
  );
  await postgres.query(
    "create trigger see_loss after update on agent for each row when (new.state = 'lost') execute function see_loss()",
  );

  await replica.crash();
  const [before] = await patient(() => postgres.query<{ at: Date }>("select now() as at"));
  await replica.start();
  const back = async () => {
    const rows = await postgres.query("select 1 from agent where state = 'connected' and beat_at > $1", [
      before?.at,
    ]);
    return rows.length === count;
  };
  await until("all to be back", back, 45_000);
  expect(await patient(() => postgres.query("select * from seen_loss"))).toEqual([]);
  expect(await patient(states)).toEqual({ connected: count });
});
