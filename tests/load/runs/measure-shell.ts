import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../../harness/processes.ts";
import { say } from "../measure/progress.ts";
import { spread } from "../measure/quantiles.ts";
import { whole } from "../measure/table.ts";
import { startAsked } from "./asked-process.ts";
import { atLeast, type Figure, figure, percent } from "./figures.ts";
import { type Installation, wallClock } from "./installation.ts";
import type { Site } from "./site.ts";
import { heldAttempts, shellAtOnce } from "./workflows.ts";

const wantedPercent = 60;
const windows = 3;

/** Steps of `sh` against a process that only spawns the same; then both again while the agent holds 200 attempts. */
export async function measureShell(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const folder = site.premises.folder();
  const script = join(folder, "script");
  writeFileSync(script, ":");
  const bare = startAsked(site.premises, join(import.meta.dirname, "bare-spawns.mjs"));
  const shim = join(root, "core", "agent", "attempts", "shim.sh");
  const spawns = (count: number) =>
    bare.ask<{ perSecond: number; residentMb: number }>("spawns", {
      ...{ count, lanes: shellAtOnce, folder, shim, argv: ["sh", "-e", script] },
    });
  const count = site.quick ? 500 : 2000;
  const compare = async () => {
    const pairs: { bare: number; steps: number; residentMb: number }[] = [];
    for (let turn = 0; turn < windows; turn++) {
      const { perSecond, residentMb } = await spawns(count);
      const startedAt = wallClock();
      const run = await installation.trigger(`shell-${count}`);
      const steps = (count * 1000) / ((await installation.endedAt(run)) - startedAt);
      pairs.push({ bare: perSecond, steps, residentMb });
      say(`shell: ${whole(steps)} steps/s, ${whole(perSecond)} spawns/s by ${whole(residentMb)} MB alone`);
    }
    return pairs;
  };
  await spawns(50);
  const alone = await compare();
  const hold = await installation.trigger("hold");
  await untilHeld(installation, hold);
  const holding = await compare();
  await installation.api.post(`/api/v1/runs/${hold}/cancel`, {});
  await untilEnded(installation, hold);
  await bare.end();
  return [...shown("", alone), ...shown(`, ${heldAttempts} held`, holding)];
}

function shown(name: string, pairs: readonly { bare: number; steps: number }[]): Figure[] {
  const ratio = spread(pairs.map(({ bare, steps }) => (100 * steps) / bare)).median;
  return [
    figure(`steps a second${name}`, spread(pairs.map(({ steps }) => steps)).median, whole, { detail: pairs }),
    figure(`spawns a second${name}`, spread(pairs.map(({ bare }) => bare)).median, whole),
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

async function untilEnded({ query }: Installation, run: string): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 100) {
    if ((await query("select 1 from run where id = $1 and ended_at is not null", [run])).length > 0) return;
    await sleep(100);
  }
  throw new Error("the held attempts did not end within a minute of their cancel");
}
