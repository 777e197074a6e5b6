import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, onTestFailed, test } from "vitest";
import { isPresent } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { openLedger } from "../harness/ledger.ts";
import { seeded } from "../harness/random.ts";
import { untilNothing } from "../harness/until.ts";
import * as cancels from "./runs/cancel-findings.ts";
import { clearUp, storm } from "./runs/faults.ts";
import * as findings from "./runs/findings.ts";
import { readBodyLines } from "./runs/ledger-lines.ts";
import { openLogJudge } from "./runs/log-findings.ts";
import { smallDisk } from "./runs/small-disk.ts";
import { type Acknowledged, startTraffic } from "./runs/traffic.ts";
import { recordTransitions } from "./runs/transitions.ts";
import { stormManifests } from "./runs/workflows.ts";
import { apply, openWorld } from "./runs/world.ts";

/**
 * Three replicas, four agents and a Postgres in bad weather, while thirty people begin and cancel runs. Judged by two files outside of
 * the system: what was acknowledged, and what bodies say they did. `npm run weather -- --seed 123` brings the same storm again.
 */
const seed = Number(process.env.WEATHER_SEED ?? Date.now() % 1_000_000);
const minutes = Number(process.env.WEATHER_MINUTES ?? 1);
const leaseSeconds = 6;
const people = 30;
const bench = openBench(afterAll);

test(`runs come through a storm (seed ${seed}, ${minutes} min)`, {
  timeout: (minutes + 5) * 60_000,
}, async () => {
  const disk = smallDisk(bench);
  const data = [disk && join(disk.folder, "agent")];
  const world = await openWorld(bench, {
    replicas: 3,
    agents: 4,
    leaseSeconds,
    data,
    // What the machine lacks is missing in the storm; tests of their own say so.
    clocks: isPresent("compiler"),
    network: isPresent("namespaces"),
    mixed: { agents: [2, 3], random: seeded(seed + 1000) },
  });
  const { postgres, replicas, agents, api, ledger } = world;
  const startedAt = performance.now();
  const story: string[] = [];
  const log = (what: string) =>
    story.push(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${what}`);
  onTestFailed(() => {
    console.error(`seed ${seed}\n${story.join("\n")}`);
    for (const { name, server } of replicas) console.error(`${name}: ${server.stderr().slice(-3000)}`);
    for (const { agent } of agents) console.error(`${agent.name}: ${agent.said().slice(-3000)}`);
  });
  await recordTransitions(postgres);
  await apply(api, stormManifests(ledger));

  const acknowledged = openLedger<Acknowledged>(join(bench.folder(), "acknowledged"));
  const urls = replicas.map(({ url }) => url);
  const traffic = startTraffic(people, { urls, token: api.token ?? "", ledger: acknowledged, seed });
  bench.keep({ end: traffic.abandon });
  await storm(
    {
      ...world,
      leaseMs: leaseSeconds * 1000,
      random: seeded(seed),
      log,
      ...(disk && { fillDisk: disk.fill }),
    },
    minutes * 60_000,
  );
  clearUp(agents);
  log("the weather is fine again");
  await sleep(1000);
  await traffic.stop();
  log("the last trigger is acknowledged");
  await apply(api, stormManifests(ledger, { ticking: false }));

  await untilNothing("I2: every run to end", () => findings.unended({ postgres }), 60_000);
  log("every run has ended");
  const evidence = { postgres, acknowledged: acknowledged.read(), lines: readBodyLines(ledger) };
  const mixed = agents.reduce((sum, { mixer }) => sum + (mixer?.mixed ?? 0), 0);
  console.info(
    `seed ${seed}: ${evidence.acknowledged.length} requests acknowledged, ${evidence.lines.length} lines of bodies, ${story.length} faults, ${mixed} messages late or twice`,
  );
  expect(mixed, "messages were out of order").toBeGreaterThan(50);
  expect(evidence.acknowledged.length, "there was something to lose").toBeGreaterThan(30);
  expect(traffic.refusals).toEqual([]);
  expect(await findings.brokenTriggers(evidence), "I1").toEqual([]);
  expect(await findings.brokenTransitions(evidence), "I3, I4, I9").toEqual([]);
  expect(await findings.brokenEnds(evidence), "I3").toEqual([]);
  expect(await findings.brokenEpochs(evidence), "I4").toEqual([]);
  expect(findings.brokenEffects(evidence), "I5").toEqual([]);
  expect(await findings.brokenPromises(evidence), "I6").toEqual([]);
  expect(await findings.brokenFailures(evidence), "what failed").toEqual([]);
  await untilNothing("I7", async () => findings.orphans(agents.map(({ agent }) => agent.data)), 60_000);
  const logs = openLogJudge(evidence);
  await untilNothing("I8", logs.find, 60_000);
  const whole = (...states: string[]) => states.reduce((sum, state) => sum + (logs.whole.get(state) ?? 0), 0);
  const looked = [whole("succeeded"), whole("failed"), whole("lost", "cancelled"), whole("shout")];
  expect(Math.min(...looked), "I8: logs of all kinds were looked at").toBeGreaterThan(0);
  expect(await cancels.brokenCancels(evidence), "I9").toEqual([]);
  const { findings: begun, late } = await cancels.begunAfterCancel(evidence);
  expect(begun, "I9").toEqual([]);
  expect(await cancels.saidAfterEnd(evidence), "I9").toEqual([]);
  const stops = cancels.stopsOf(evidence);
  expect(cancels.brokenStops(stops), "I9").toEqual([]);
  console.info(
    `seed ${seed}: ${looked.join(", ")} logs whole of those that succeeded, failed, were given up, were long; ${stops.length} bodies killed after their grace; ${late} began after a cancel`,
  );
  expect(await findings.brokenTicks(evidence, 45 * minutes), "I10").toEqual([]);
  expect(await findings.brokenAudit(evidence), "I13").toEqual([]);
  const { body } = await api.call("POST", "/api/v1/audit/verify", { body: {} });
  expect(
    body.items.flatMap((proof: { findings: object[] }) => proof.findings),
    "I13",
  ).toEqual([]);
  expect(findings.loggedErrors(world)).toEqual([]);
  await untilNothing("I14", async () => findings.leftovers(world), 60_000);
});
