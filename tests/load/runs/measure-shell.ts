import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnerFlags } from "../../../core/agent/attempts/spawner-link.ts";
import { root } from "../../harness/processes.ts";
import { type CpuShares, familyMs, processMs } from "../measure/cpu.ts";
import { say } from "../measure/progress.ts";
import { spread } from "../measure/quantiles.ts";
import { whole } from "../measure/table.ts";
import { startAsked } from "./asked-process.ts";
import { atLeast, type Figure, figure, percent } from "./figures.ts";
import { type Installation, wallClock } from "./installation.ts";
import type { Site } from "./site.ts";
import { heldAttempts, shellAtOnce } from "./workflows.ts";

const wantedPercent = 60;
/** Many and short, in turn: how fast this machine starts processes changes by half within a minute. */
const windows = 18;

/** Steps of `sh` against a process that only spawns the same; then both again while the agent holds 200 attempts. */
export async function measureShell(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const agent = await site.agent();
  const folder = site.premises.folder();
  const script = join(folder, "script");
  writeFileSync(script, ":");
  const file = join(import.meta.dirname, "bare-spawns.mjs");
  const shim = join(root, "core", "agent", "attempts", "shim.sh");
  // Afresh each time, and with the spawner's own flags: one that has spawned for a while has grown, and spawns slower.
  const spawns = async (count: number) => {
    const bare = startAsked(site.premises, file, {}, spawnerFlags);
    const input = { count, lanes: shellAtOnce, folder, shim, argv: ["sh", "-e", script] };
    const found = await bare.ask<{ perSecond: number; residentMb: number }>("spawns", input);
    await bare.end();
    return found;
  };
  const count = site.quick ? 250 : 500;
  const compare = async () => {
    const pairs: Pair[] = [];
    for (let turn = 0; turn < (site.quick ? windows / 2 : windows); turn++) {
      const { perSecond, residentMb } = await spawns(count);
      const cpu = installation.countCpu({
        agent: () => processMs(agent.pid),
        below: () => agent.family().reduce((sum, pid) => sum + familyMs(pid), 0),
      });
      const startedAt = wallClock();
      const run = await installation.trigger(`shell-${count}`);
      const steps = (count * 1000) / ((await installation.endedAt(run)) - startedAt);
      pairs.push({ bare: perSecond, steps, residentMb, costs: msOfOne(cpu(), steps) });
      say(`shell: ${whole(steps)} steps/s, ${whole(perSecond)} spawns/s by ${whole(residentMb)} MB alone`);
    }
    return pairs;
  };
  await spawns(50);
  const alone = await compare();
  const hold = await installation.trigger("hold");
  await untilHeld(installation, hold);
  const holding = await compare();
  await installation.cancel(hold);
  return [...shown("", alone), ...shown(`, ${heldAttempts} held`, holding)];
}

interface Pair {
  readonly bare: number;
  readonly steps: number;
  readonly residentMb: number;
  readonly costs: readonly number[];
}

/** Milliseconds of a core that one step takes of each: true also on a machine that does other things. */
function msOfOne(shares: CpuShares, perSecond: number): number[] {
  return ["server", "postgres", "agent", "below"].map((name) => ((shares[name] ?? 0) / perSecond) * 1000);
}

function shown(name: string, pairs: readonly Pair[]): Figure[] {
  const ratio = spread(pairs.map(({ bare, steps }) => (100 * steps) / bare)).median;
  const costs = [0, 1, 2, 3].map((at) => spread(pairs.map((pair) => pair.costs[at] ?? 0)).median);
  const parts = costs.map((cost) => cost.toFixed(1)).join("/");
  return [
    figure(`steps a second${name}`, spread(pairs.map(({ steps }) => steps)).median, whole, { detail: pairs }),
    figure(`spawns a second${name}`, spread(pairs.map(({ bare }) => bare)).median, whole),
    figure(
      "  CPU of one, ms: server/db/agent/it",
      costs.reduce((sum, cost) => sum + cost, 0),
      () => parts,
      { detail: costs },
    ),
    figure("  ratio", ratio, percent, { bar: atLeast(ratio, wantedPercent, "%") }),
  ];
}

async function untilHeld({ query }: Installation, run: string): Promise<void> {
  const running = "select count(*)::int as count from step where run = $1 and state = 'running'";
  for (let waited = 0; waited < 60_000; waited += 100) {
    const [row] = await query<{ count: number }>(running, [run]);
    if (row?.count === heldAttempts) return;
    await sleep(100);
  }
  throw new Error(`the agent did not hold ${heldAttempts} attempts after a minute`);
}
