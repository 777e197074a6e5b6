import { setTimeout as sleep } from "node:timers/promises";
import type { Place } from "../../harness/network.ts";
import type { Random } from "../../harness/random.ts";
import type { World, WorldAgent } from "./world.ts";

export interface Scene extends World {
  readonly leaseMs: number;
  readonly random: Random;
  /** Tells what happens when; for the report of a failure. */
  readonly log: (what: string) => void;
  /** Fills the disk of the agent that has a small one, and gives what makes room again. */
  readonly fillDisk?: () => () => void;
}

type Fault = () => Promise<void> | void;

/** Bad weather for so long. What goes wrong with the control plane and what goes wrong with agents goes on side by side. */
export async function storm(scene: Scene, ms: number): Promise<void> {
  const endMs = performance.now() + ms;
  await Promise.all([
    gusts(scene, controlPlaneFaults(scene), endMs),
    gusts(scene, agentFaults(scene), endMs),
    gusts(scene, wireFaults(scene), endMs),
    ...(scene.clocks.size > 0 ? [gusts(scene, [clockFault(scene)], endMs)] : []),
  ]);
}

/** Each once, in a random order, and then by chance: no seed may leave one out. */
async function gusts({ random }: Scene, faults: readonly Fault[], endMs: number): Promise<void> {
  const deck = faults.map((fault) => ({ fault, at: random.next() })).sort((x, y) => x.at - y.at);
  while (deck.length > 0 || performance.now() < endMs) {
    await sleep(random.between(200, 2500));
    await (deck.shift()?.fault ?? random.pick(faults))();
  }
}

function controlPlaneFaults({ postgres, replicas, random, log }: Scene): Fault[] {
  return [
    async () => {
      const replica = random.pick(replicas);
      log(`kill -9 of ${replica.name}`);
      await replica.crash();
      await replica.start();
    },
    async () => {
      log("kill -9 of Postgres");
      await postgres.crash();
      await sleep(random.between(0, 3000));
      await postgres.start();
    },
    async () => {
      const replica = random.pick(replicas);
      const ms = random.between(1000, 8000);
      log(`${replica.name} sleeps for ${Math.round(ms)} ms`);
      replica.pause();
      await sleep(ms).finally(() => replica.resume());
    },
  ];
}

function agentFaults({ agents, leaseMs, random, log, fillDisk }: Scene): Fault[] {
  const sleeps = (leases: number) => async () => {
    const { agent } = random.pick(agents);
    log(`${agent.name} sleeps for ${leases} leases`);
    agent.pause();
    await sleep(leases * leaseMs).finally(() => agent.resume());
  };
  const dies = (leases: number) => async () => {
    const { agent } = random.pick(agents);
    log(`kill -9 of ${agent.name}, back after ${leases} leases`);
    await agent.crash();
    await sleep(leases * leaseMs);
    agent.start();
  };
  const filled = async () => {
    log("the disk of an agent is full");
    const free = fillDisk?.();
    await sleep(random.between(2000, 6000)).finally(() => free?.());
  };
  return [sleeps(0.5), sleeps(1.1), sleeps(3), dies(0), dies(0.5), dies(1.5), ...(fillDisk ? [filled] : [])];
}

function wireFaults({ agents, leaseMs, random, log }: Scene): Fault[] {
  const held = (way: "to server" | "to agent" | "both", leases: number) => async () => {
    const { agent, wires } = random.pick(agents);
    log(`nothing passes ${way} for ${agent.name}, for ${leases} leases`);
    wires.hold(way);
    await sleep(leases * leaseMs).finally(() => wires.mend());
  };
  const lost = (way: Parameters<Place["lose"]>[0], leases: number) => async () => {
    const { agent, place } = random.pick(agents);
    log(`packets ${way} of ${agent.name} are lost, for ${leases} leases`);
    place?.lose(way);
    await sleep(leases * leaseMs).finally(() => place?.mend());
  };
  const apart = agents.some(({ place }) => place)
    ? [lost("both", 1.3), lost("to middle", 1.3), lost("from middle", 1.3)]
    : [held("both", 1.3), held("to server", 1.3), held("to agent", 1.3)];
  return [
    held("to server", 0.7),
    held("to agent", 0.7),
    ...apart,
    // Again and again, so that some are cut while they begin.
    async () => {
      const { agent, wires } = random.pick(agents);
      log(`connections of ${agent.name} are cut`);
      for (let times = 0; times < 10; times++) {
        wires.cut();
        await sleep(random.between(20, 500));
      }
    },
    async () => {
      const { agent, wires } = random.pick(agents);
      log(`${agent.name} is 400 ms away`);
      wires.delay(400);
      await sleep(4000).finally(() => wires.mend());
    },
  ];
}

/** Clocks may differ by up to an hour, which certificates allow for. They stay as they are when the weather is fine again. */
const mostSkewSeconds = 1500;

function clockFault({ clocks, random, log }: Scene): Fault {
  const jumps = [-mostSkewSeconds, -20, 0, 20, mostSkewSeconds];
  return () => {
    const [name, clock] = random.pick([...clocks]);
    const seconds = random.pick(jumps);
    log(`the clock of ${name} is off by ${seconds} s`);
    clock.set(seconds);
  };
}

/** Fine weather: everybody is there, whole and connected. */
export function clearUp(agents: readonly WorldAgent[]): void {
  for (const { agent, wires, place } of agents) {
    wires.mend();
    place?.mend();
    agent.resume();
    if (agent.hasEnded()) agent.start();
  }
}
