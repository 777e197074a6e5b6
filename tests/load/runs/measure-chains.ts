import { say } from "../measure/progress.ts";
import { quantiles } from "../measure/quantiles.ts";
import { ms } from "../measure/table.ts";
import { atMost, type Figure, figure, times, under } from "./figures.ts";
import { type Installation, wallClock } from "./installation.ts";
import { chainSteps } from "./measure-peers.ts";
import type { Site } from "./site.ts";
import type { WorkflowName } from "./workflows.ts";

const againstDbos = 3;

/** One chain at a time, from sending the trigger to the end of the run. */
export async function measureChains(site: Site): Promise<Figure[]> {
  const installation = await site.installation();
  const turns = site.quick ? 5 : 20;
  const noop = await chains(installation, "chain-noop", turns);
  const shell = await chains(installation, "chain-shell", turns);
  const python = await chains(installation, "chain-python", Math.ceil(turns / 2));
  const dbos = site.peers.dbos?.chainMs?.p50;
  const ratio = dbos === undefined ? undefined : noop.p50 / dbos;
  return [
    figure(`${chainSteps} no-op steps`, noop.p50, ms, { detail: noop }),
    ...(ratio === undefined
      ? []
      : [figure("  against DBOS in process", ratio, times, { bar: atMost(ratio, againstDbos, "x") })]),
    figure(`${chainSteps} steps of sh`, shell.p50, ms, { bar: under(shell.p50, 300, "ms"), detail: shell }),
    figure(`${chainSteps} steps of python3`, python.p50, ms, {
      bar: under(python.p50, 1000, "ms"),
      detail: python,
    }),
  ];
}

async function chains(installation: Installation, workflow: WorkflowName, turns: number) {
  const took: number[] = [];
  // The first one is warm-up: code, connections and pages of the database are cold.
  for (let turn = 0; turn <= turns; turn++) {
    const one = await chainMs(installation, workflow);
    if (turn > 0) took.push(one);
  }
  const found = quantiles(took);
  say(`${workflow}: p50 ${ms(found.p50)}, max ${ms(found.max)}`);
  return found;
}

export async function chainMs(installation: Installation, workflow: WorkflowName): Promise<number> {
  const startedAt = wallClock();
  return (await installation.endedAt(await installation.trigger(workflow))) - startedAt;
}
