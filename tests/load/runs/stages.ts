import { type Column, type MeasuredStage, measureEach } from "../measure/stages.ts";
import { type Figure, growth } from "./figures.ts";
import { multiplyRuns } from "./fill.ts";
import { measureAgents } from "./measure-agents.ts";
import { measureChains } from "./measure-chains.ts";
import { measureLogs } from "./measure-logs.ts";
import { measureMemory } from "./measure-memory.ts";
import { measurePeers } from "./measure-peers.ts";
import { measureReadsApart } from "./measure-reads-apart.ts";
import { measureShell } from "./measure-shell.ts";
import { measureStarts } from "./measure-starts.ts";
import { measureSteps } from "./measure-steps.ts";
import type { Site } from "./site.ts";

interface Stage extends MeasuredStage<Site> {
  /** Also measured with ten times as many finished runs in the store. */
  readonly again?: true;
}

export const stages: readonly Stage[] = [
  { name: "peers", title: "Peers, each alone", measure: measurePeers },
  { name: "memory", title: "Memory", measure: measureMemory },
  { name: "steps", title: "No-op steps, the whole path", measure: measureSteps, again: true },
  { name: "starts", title: "Trigger answered to body begun", measure: measureStarts, again: true },
  { name: "chains", title: "Chains", measure: measureChains, again: true },
  { name: "shell", title: "Steps that are processes", measure: measureShell },
  { name: "logs", title: "Logs", measure: measureLogs },
  { name: "reads", title: "GET with roles apart", measure: measureReadsApart },
  { name: "agents", title: "Many agents, beating every 5 s", measure: measureAgents },
  { name: "growth", title: "Speed kept with 10 times the runs" },
];

const growthStage = "growth";
const fillStage = "fill";

/**
 * Every stage that is wanted, then those whose cost could grow once more on ten times as many finished runs. One that fails is
 * told by its name; the others go on.
 */
export async function measureStages(site: Site, only: readonly string[]): Promise<Column[]> {
  const wanted = stages.filter(({ name }) => only.length === 0 || only.includes(name));
  const first = await measureEach(site, wanted);
  const again = wanted.filter((stage) => stage.again && "figures" in (first[stage.name] ?? {}));
  if (!wanted.some(({ name }) => name === growthStage)) return [first];
  if (again.length === 0) {
    first[growthStage] = { problem: "none of the stages that could grow was measured" };
    return [first];
  }
  const second = await measureEach(site, [{ name: fillStage, title: "", measure: multiplyRuns }, ...again]);
  const of = (column: Column, names: readonly string[]) =>
    names.flatMap((name) => (column[name] as { figures?: readonly Figure[] }).figures ?? []);
  const names = again.map(({ name }) => name);
  first[growthStage] = {
    figures: [...of(second, [fillStage]), ...growth(of(first, names), of(second, names))],
  };
  return [first, second];
}
