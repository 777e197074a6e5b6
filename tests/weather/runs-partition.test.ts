import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openBench } from "../harness/bench.ts";
import { until, untilNothing } from "../harness/until.ts";
import { brokenEpochs, orphans } from "./runs/findings.ts";
import { readBodyLines } from "./runs/ledger-lines.ts";
import { recordTransitions } from "./runs/transitions.ts";
import { body, workflow } from "./runs/workflows.ts";
import { apply, openWorld, trigger, untilConnected, untilEnded, type World } from "./runs/world.ts";

const bench = openBench(afterAll);
const leaseSeconds = 6;

/** Packets are lost without a word: no connection is reset or refused, and what was sent is sent again by the kernel when it can. */
describe("a network that loses packets", needs("namespaces"), () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(bench, { replicas: 2, agents: 4, slots: 24, leaseSeconds, network: true });
    await recordTransitions(world.postgres);
  });

  const lostAgents = async () =>
    (
      await world.postgres.query<{ name: string }>(
        "select name from agent where state = 'lost' order by name",
      )
    ).map(({ name }) => name);
  const startsOf = (run: string, step: string) =>
    readBodyLines(world.ledger).filter(
      (line) => line.what === "start" && line.key.startsWith(run) && line.step.startsWith(step),
    );

  test("for less than a lease costs nothing; for longer, what may be repeated begins elsewhere, and nothing else does", async () => {
    const { api, postgres, agents, ledger } = world;
    onTestFailed(async () => {
      const told =
        "s.seq, s.state, s.reason, s.why, s.epoch, s.attempt, a.name as agent, a.state as agent_state";
      console.error(await postgres.query(`select ${told} from step s left join agent a on a.uid = s.agent`));
      for (const { agent } of agents) console.error(`${agent.name}: ${agent.said().slice(-2000)}`);
    });
    const each = Array.from({ length: 6 }, (_, at) => at);
    // The first attempts are on their way for as long as all this takes.
    const gate = `${ledger}.gate`;
    const work = `while [ "$REEVE_ATTEMPT" = 1 ] && [ ! -e ${gate} ]; do sleep 0.2; done`;
    const steps = [
      { name: "again", each, run: body(work), needs: [] },
      { name: "once", each, run: body(work), needs: [], effect: "at-most-once" },
    ];
    await apply(api, [workflow("apart", ledger, { steps })]);
    const run = await trigger(api, "apart");
    await until("all to run", () => startsOf(run, "").length === 12, 60_000);

    for (const { place } of agents) place?.lose("both");
    await sleep((leaseSeconds * 1000) / 2);
    for (const { place } of agents) place?.mend();
    await untilConnected(postgres, 4);
    expect(startsOf(run, "").length).toBe(12);

    const held = await postgres.query<{ key: string; once: boolean; agent: string }>(
      `select s.run || '.' || s.seq as key, s.at_most_once as once, a.name as agent from step s join agent a on a.uid = s.agent
       where s.run = $1 and s.state = 'running'`,
      [run],
    );
    expect(held.length).toBe(12);
    const [first, second, third] = agents;
    first?.place?.lose("both");
    second?.place?.lose("to middle");
    third?.place?.lose("from middle");
    await until("three agents to be lost", async () => (await lostAgents()).length === 3, 30_000);
    const moved = held.filter(({ once, agent }) => !once && agent !== "a3").map(({ key }) => key);
    // Not always the second attempt: that may have been offered to another one that was about to be lost.
    const begunAgain = () =>
      moved.every((key) => startsOf(run, "again").some((line) => line.key === key && line.attempt > 1));
    await until("what may be repeated to begin elsewhere", begunAgain, 30_000);
    expect(await lostAgents()).toEqual(["a0", "a1", "a2"]);

    for (const { place } of agents) place?.mend();
    await untilConnected(postgres, 4, 60_000);
    writeFileSync(gate, "");
    expect(await untilEnded(api, run, 60_000)).toBe("succeeded");
    expect(startsOf(run, "once").length, "what may happen once began once").toBe(6);
    const repeated = startsOf(run, "again").filter(({ attempt }) => attempt > 1);
    expect(new Set(repeated.map(({ key }) => key)), "and nothing else was repeated").toEqual(new Set(moved));
    expect(await brokenEpochs({ postgres, acknowledged: [], lines: [] })).toEqual([]);
    await untilNothing(
      "no process to be left",
      async () => orphans(agents.map(({ agent }) => agent.data)),
      15_000,
    );
  }, 180_000);
});
