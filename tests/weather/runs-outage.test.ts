import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFailed, test } from "vitest";
import { joinToken } from "../harness/agent-process.ts";
import { openBench } from "../harness/bench.ts";
import { until } from "../harness/until.ts";
import { type BodyLine, readBodyLines } from "./runs/ledger-lines.ts";
import { body, workflow } from "./runs/workflows.ts";
import { apply, openWorld, trigger, untilConnected, untilEnded, type World } from "./runs/world.ts";

/** What is away, and for how long, with the lease that agents have by default. */
const outageMs = process.env.WEATHER_MINUTES === undefined ? 40_000 : 5 * 60_000;
const bench = openBench(afterAll);
let world: World;

beforeAll(async () => {
  world = await openWorld(bench, { replicas: 2, agents: 4, slots: 60 });
});

const lines = (what: BodyLine["what"], run: string) =>
  readBodyLines(world.ledger).filter((line) => line.what === what && line.key.startsWith(run));

function sayOnFailure(): void {
  onTestFailed(() => {
    for (const { name, server } of world.replicas) console.error(`${name}: ${server.stderr().slice(-2000)}`);
    for (const { agent } of world.agents) console.error(`${agent.name}: ${agent.said().slice(-2000)}`);
  });
}

test(`I15: all servers and the database away for ${outageMs / 1000} s with 200 steps running: none repeated, lost or declared dead`, {
  timeout: outageMs + 240_000,
}, async () => {
  sayOnFailure();
  const { api, postgres, replicas, ledger } = world;
  const items = Array.from({ length: 200 }, (_, at) => at);
  // Some end during the outage, some after it.
  const longest = Math.ceil(outageMs / 1000) + 30;
  const work = `sleep $(( 20 + $N * ${longest - 20} / 200 ))`;
  const steps = [{ name: "each", each: items, run: body(work), env: { N: "${{ item }}" } }];
  await apply(api, [workflow("many", ledger, { steps })]);
  const run = await trigger(api, "many");
  await until("200 steps to run", () => lines("start", run).length === 200, 60_000);
  const running = "select 1 from step where run = $1 and state = 'running'";
  await until("their accepts", async () => (await postgres.query(running, [run])).length >= 150);

  await Promise.all([...replicas.map((replica) => replica.crash()), postgres.crash()]);
  await sleep(outageMs);
  expect(lines("end", run).length, "work goes on").toBeGreaterThan(20);
  await postgres.start();
  await Promise.all(replicas.map((replica) => replica.start()));

  expect(await untilEnded(api, run, 120_000)).toBe("succeeded");
  expect([lines("start", run).length, lines("end", run).length]).toEqual([200, 200]);
  expect(await postgres.query("select * from step_attempt where run = $1", [run])).toEqual([]);
  expect(await postgres.query("select * from run_event where run = $1 and tone = 'warning'", [run])).toEqual(
    [],
  );
  const lost = "select name, state from agent where state <> 'connected'";
  expect(await postgres.query(lost)).toEqual([]);
});

test("W1: a host that is lost with its disk costs nothing that was acknowledged; its steps begin elsewhere within 35 s, and it may join again", {
  timeout: 240_000,
}, async () => {
  sayOnFailure();
  const { api, postgres, agents, ledger } = world;
  const steps = [
    { name: "again", each: [1, 2, 3, 4, 5, 6, 7, 8], run: body("sleep 20"), needs: [] },
    {
      name: "once",
      each: [1, 2, 3, 4, 5, 6, 7, 8],
      run: body("sleep 20"),
      needs: [],
      effect: "at-most-once",
    },
  ];
  await apply(api, [workflow("lost", ledger, { steps })]);
  const run = await trigger(api, "lost");
  type Running = { seq: string; once: boolean; agent: string };
  let running: Running[] = [];
  await until(
    "all to be known to run",
    async () => {
      running = await postgres.query<Running>(
        `select s.seq, s.at_most_once as once, a.name as agent from step s join agent a on a.uid = s.agent
         where s.run = $1 and s.state = 'running'`,
        [run],
      );
      // A step is running before its body has written its first line, which is counted below.
      return running.length === 16 && lines("start", run).length === 16;
    },
    60_000,
  );
  const heldBy = (name: string) => running.filter(({ agent }) => agent === name);
  const isMixed = (held: typeof running) => held.some(({ once }) => once) && held.some(({ once }) => !once);
  const victim = agents.find(({ agent }) => isMixed(heldBy(agent.name)))?.agent;
  if (victim === undefined) throw new Error(`no agent has both: ${JSON.stringify(running)}`);
  const held = heldBy(victim.name);
  await victim.wipe();

  const repeated = held.filter(({ once }) => !once).map(({ seq }) => `${run}.${seq}`);
  const begunAgain = () =>
    repeated.every((key) => lines("start", run).some((line) => line.key === key && line.attempt === 2));
  await until("what may be repeated to begin elsewhere", begunAgain, 35_000);
  const waiting = await postgres.query<{ seq: string; why: string }>(
    "select seq, why from step where run = $1 and state = 'waiting' and reason = 'lost' order by seq",
    [run],
  );
  const once = held.filter(({ once }) => once).map(({ seq }) => seq);
  expect(waiting.map(({ seq }) => seq).sort()).toEqual(once.sort());
  expect(waiting[0]?.why).toContain("it may have happened");

  await victim.join(await joinToken(api, "again", { replace: true }));
  victim.start();
  await untilConnected(postgres, agents.length);
  for (const { seq } of waiting) {
    const path = `/api/v1/runs/${run}/steps/${seq}/decide`;
    expect((await api.call("POST", path, { body: { outcome: "again" } })).status).toBe(200);
  }
  expect(await untilEnded(api, run, 120_000)).toBe("succeeded");
  const starts = lines("start", run).filter(({ step }) => step.startsWith("once"));
  expect(starts.length, "only what a person decided began again").toBe(8 + once.length);
});
