import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { clock } from "../measure/clock.ts";
import { say } from "../measure/progress.ts";
import { quantiles } from "../measure/quantiles.ts";
import { ms } from "../measure/table.ts";
import { startAgent } from "./agent.ts";
import { type Figure, figure, under } from "./figures.ts";
import type { Installation } from "./installation.ts";
import type { Site } from "./site.ts";
import type { Stamp } from "./stamp-agent.ts";

const pauseMs = 30;
const patienceMs = 20_000;

/** From the trigger's answer to the begin of the body, one run at a time: what somebody waits who presses the button. */
export async function measureStarts(site: Site): Promise<Figure[]> {
  const stamps = await openStamps(site, await site.installation());
  await stamps.delays(10);
  const found = quantiles(await stamps.delays(site.quick ? 100 : 500));
  await stamps.end();
  say(`trigger to start: p50 ${ms(found.p50)}, p99 ${ms(found.p99)}`);
  return [
    figure("p50", found.p50, ms, { bar: under(found.p50, 6, "ms"), detail: found }),
    figure("p99", found.p99, ms, { bar: under(found.p99, 25, "ms") }),
  ];
}

/** An agent that tells when a body begins, and what so many runs waited for it. */
export interface Stamps {
  delays(count: number): Promise<number[]>;
  end(): Promise<void>;
}

export async function openStamps(site: Site, installation: Installation): Promise<Stamps> {
  const agent = await startAgent(site, installation, {
    // Another host each time: the one of the first time is known.
    name: `stamp-${randomUUID()}`,
    agentPort: installation.replica.agentPort,
    slots: 10,
    program: join(import.meta.dirname, "stamp-agent.ts"),
  });
  const began = new Map<string, number>();
  agent.child.on("message", (message) => {
    const { run, at } = message as Stamp;
    began.set(run, at);
  });

  async function delay(): Promise<number> {
    const run = await installation.trigger("stamp");
    const answeredAt = clock();
    const deadline = answeredAt + patienceMs;
    while (!began.has(run)) {
      if (clock() > deadline) throw new Error(`a run had not begun after ${patienceMs / 1000} s`);
      await sleep(1);
    }
    await sleep(pauseMs);
    // A body that began before its trigger was answered waited for nothing.
    return Math.max(0, (began.get(run) as number) - answeredAt);
  }

  return {
    async delays(count) {
      const found: number[] = [];
      while (found.length < count) found.push(await delay());
      return found;
    },
    end: agent.end,
  };
}
