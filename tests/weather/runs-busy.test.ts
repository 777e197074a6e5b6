import { writeFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { openBench } from "../harness/bench.ts";
import { until } from "../harness/until.ts";
import { workflow } from "./runs/workflows.ts";
import { apply, openWorld, trigger, untilEnded } from "./runs/world.ts";

const spinning = 30;
/** Half a lease without a beat makes an agent suspect: here 3 s, with a beat each second. */
const leaseSeconds = 6;

test("bodies that take all processors of a machine, and one that floods its output, starve no heartbeat", async () => {
  const bench = openBench(onTestFinished);
  putControlPlaneFirst();
  const slots = spinning + 8;
  const world = await openWorld(bench, { replicas: 1, agents: 1, slots, leaseSeconds, sessions: true });
  const { postgres, api, ledger } = world;
  await postgres.query("create table seen_beat (state text, gap interval)");
  await postgres.query(
    `create function see_beat() returns trigger language plpgsql as $$ begin
       insert into seen_beat values (new.state, new.beat_at - old.beat_at); return null; end $$`,
  );
  await postgres.query(
    "create trigger see_beat after update on agent for each row execute function see_beat()",
  );
  const each = Array.from({ length: spinning }, (_, at) => at);
  const steps = [
    { name: "spin", each, needs: [], run: "timeout 12 sh -c 'while :; do :; done' || :" },
    { name: "flood", needs: [], run: "yes 'all work and no play' | head -c 100000000" },
  ];
  await apply(api, [workflow("busy", ledger, { steps })]);
  const run = await trigger(api, "busy");
  const running = () => postgres.query("select 1 from step where run = $1 and state = 'running'", [run]);
  await until("all to run at once", async () => (await running()).length > spinning, 30_000);
  expect(await untilEnded(api, run, 60_000)).toBe("succeeded");
  const seen = await postgres.query<{ state: string; beats: number; longest: string }>(
    "select state, count(*)::int as beats, max(gap)::text as longest from seen_beat group by state",
  );
  expect(seen).toEqual([{ state: "connected", beats: expect.any(Number), longest: expect.any(String) }]);
  expect(seen[0]?.beats).toBeGreaterThan(5);
});

/** It would be on another machine; here its session goes before those of bodies, where the kernel keeps such an order. */
function putControlPlaneFirst(): void {
  const order = "/proc/self/autogroup";
  try {
    writeFileSync(order, "-15");
    onTestFinished(() => writeFileSync(order, "0"));
  } catch {
    // Then it shares them.
  }
}
