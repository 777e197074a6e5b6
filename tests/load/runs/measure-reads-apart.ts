import { chmodSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { account, projects } from "../api/population.ts";
import { countCpu, familyMs, processMs } from "../measure/cpu.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { ms } from "../measure/table.ts";
import { startAgent } from "./agent.ts";
import { apply } from "./api.ts";
import { startAsked } from "./asked-process.ts";
import { atMost, type Figure, figure, times } from "./figures.ts";
import type { Installation } from "./installation.ts";
import { writeLogFile } from "./log-file.ts";
import type { Site } from "./site.ts";
import { workflows } from "./workflows.ts";

const size = 1000;
const perSecond = 300;
const mostTimes = 2;
/** Enough for the replica to notice that people wait, while the other server is measured. */
const fewPerSecond = 30;
const calmSeconds = 5;
const longestCalmingSeconds = 180;

/**
 * GETs of the people's port, first in quiet, then while one agent floods logs and the crowd beats on another replica; beside it the
 * same of a plain server, which shows what of it is the machine's.
 */
export async function measureReadsApart(site: Site): Promise<Figure[]> {
  const { installation, agentsReplica } = await site.apart();
  const { api, replica } = installation;
  await apply(api, [...projects(), ...workflows]);
  await apply(
    api,
    Array.from({ length: size }, (_, index) => account(index)),
  );
  const readers = await startGenerator(site.premises, "reads", {
    ...{ port: replica.port, token: api.token, size },
  });
  const bare = startAsked(site.premises, join(import.meta.dirname, "bare-reads.mjs"));
  const { port } = await bare.ask<{ port: number }>("listen", { databaseUrl: installation.databaseUrl });
  const bareReaders = await startGenerator(site.premises, "reads", { port, token: "", size });
  const window = { kind: "get", perSecond, seconds: site.quick ? 10 : 30 } as const;
  const quiet = await readers.window(window);
  const bareQuiet = await bareReaders.window(window);
  const crowd = await site.crowd();
  const calming = performance.now();
  await untilCalm(installation);
  say(`calm after ${Math.round((performance.now() - calming) / 1000)} s`);
  const file = writeLogFile(join(site.premises.folder(), "log"), 50);
  chmodSync(file.path, 0o644);
  const agent = await startAgent(site, installation, {
    ...{ name: "flood", agentPort: agentsReplica.agentPort, slots: 10, labels: { bench: "flood" } },
  });
  const run = await installation.trigger("flood", { file: file.path });
  const cpu = countCpu({
    api: () => processMs(replica.pid),
    agents: () => processMs(agentsReplica.pid),
    postgres: () => familyMs(site.postgres.pid),
    load: () => [readers.pid, agent.pid, ...crowd.pids].reduce((sum, pid) => sum + processMs(pid), 0),
  });
  const busy = await readers.window(window);
  const shares = cpu();
  const [bareBusy] = await Promise.all([
    bareReaders.window(window),
    // Output waits for people: the flood is the same only while somebody asks the replica.
    readers.window({ ...window, perSecond: fewPerSecond }),
  ]);
  await installation.cancel(run);
  await Promise.all([readers.end(), bareReaders.end(), bare.end(), agent.end()]);
  const ratio = busy.p99 / quiet.p99;
  say(`GET p99 ${ms(quiet.p99)} in quiet, ${ms(busy.p99)} in the flood`);
  say(`of a plain server ${ms(bareQuiet.p99)} and ${ms(bareBusy.p99)}`);
  return [
    figure("p99 in quiet", quiet.p99, ms, { detail: quiet }),
    figure(`p99, flood and ${crowd.count} agents`, busy.p99, ms, { detail: { busy, cpu: shares } }),
    figure("  ratio", ratio, times, { bar: atMost(ratio, mostTimes, "x") }),
    figure("p99 of a plain server in quiet", bareQuiet.p99, ms, { detail: bareQuiet }),
    figure("p99 of a plain server, the same flood", bareBusy.p99, ms, { detail: bareBusy }),
    figure("  ratio of the plain server", bareBusy.p99 / bareQuiet.p99, times),
  ];
}

/** Agents that come are work for a while: each Host is looked at and its state written. What is measured is those that are there. */
async function untilCalm({ query }: Installation): Promise<void> {
  let last: string | undefined;
  for (let same = 0, waited = 0; same < calmSeconds && waited < longestCalmingSeconds; waited++) {
    await sleep(1000);
    const [row] = await query<{ last: string }>("select value::text as last from revision");
    same = row?.last === last ? same + 1 : 0;
    last = row?.last;
  }
}
