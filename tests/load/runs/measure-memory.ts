import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../measure/memory.ts";
import { type Figure, figure, megabytes, under } from "./figures.ts";
import type { Site } from "./site.ts";

/** The agent with nothing to do, its spawner included. */
export async function measureMemory(site: Site): Promise<Figure[]> {
  const agent = await site.agent();
  await sleep(site.quick ? 25_000 : 60_000);
  const own = memoryOf(agent.pid);
  const family = agent.family().reduce((sum, pid) => sum + memoryOf(pid).residentMb, 0);
  return [
    figure("agent, idle", own.residentMb, megabytes, {
      bar: under(own.residentMb, 70, "MB"),
      detail: own,
    }),
    figure("  with its spawner", own.residentMb + family, megabytes),
  ];
}
