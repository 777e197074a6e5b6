import { setTimeout as sleep } from "node:timers/promises";
import { countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { memoryOf } from "../measure/memory.ts";
import { whole } from "../measure/table.ts";
import { cores, type Figure, figure, megabytes, under } from "./figures.ts";
import type { Installation } from "./installation.ts";
import type { Site } from "./site.ts";

const settleMs = 10_000;

/** Ten thousand agents that beat every 5 s, over the real protocol, on one replica. */
export async function measureAgents(site: Site): Promise<Figure[]> {
  const { installation, agentsReplica } = await site.apart();
  const crowd = await site.crowd();
  const seconds = site.quick ? 40 : 300;
  await sleep(settleMs);
  const cpu = countCpu({
    replica: () => processMs(agentsReplica.pid),
    postgres: () => familyMs(site.postgres.pid),
    generators: () => crowd.pids.reduce((sum, pid) => sum + processMs(pid), 0),
  });
  const [seen, away] = await Promise.all([crowd.hold(seconds), mostAway(installation, seconds)]);
  const shares = cpu();
  const used = shares.replica ?? 0;
  const lost = seen.reduce((sum, one) => sum + one.lost, 0);
  const connected = seen.reduce((sum, one) => sum + one.connected, 0);
  return [
    figure(`agents, for ${seconds} s`, connected, whole),
    figure("replica's CPU, in cores", used, cores, { bar: under(used, 1), detail: shares }),
    figure("falsely away, or links lost", away + lost, whole, {
      bar: { text: "0", met: away + lost === 0 && connected === crowd.count },
      detail: seen,
    }),
    figure("joins a second", crowd.joinsPerSecond, whole),
    figure("connects a second", crowd.connectsPerSecond, whole),
    figure("replica's memory", memoryOf(agentsReplica.pid).residentMb, megabytes),
  ];
}

/** The most simulated agents that the database ever thought to be suspect or lost. */
async function mostAway({ query }: Installation, seconds: number): Promise<number> {
  const away =
    "select count(*)::int as away from agent where state in ('suspect', 'lost') and name like 'sim-%'";
  let most = 0;
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(1000))
    most = Math.max(most, (await query<{ away: number }>(away))[0]?.away ?? 0);
  return most;
}
