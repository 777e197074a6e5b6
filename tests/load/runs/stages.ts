import type { MeasuredStage } from "../measure/stages.ts";
import { measureAgents } from "./measure-agents.ts";
import { measureChains } from "./measure-chains.ts";
import { measureGrowth } from "./measure-growth.ts";
import { measureLogs } from "./measure-logs.ts";
import { measureMemory } from "./measure-memory.ts";
import { measurePeers } from "./measure-peers.ts";
import { measureReadsApart } from "./measure-reads-apart.ts";
import { measureShell } from "./measure-shell.ts";
import { measureStarts } from "./measure-starts.ts";
import { measureSteps } from "./measure-steps.ts";
import type { Site } from "./site.ts";

export const stages: readonly MeasuredStage<Site>[] = [
  { name: "peers", title: "Peers, each alone", measure: measurePeers },
  { name: "memory", title: "Memory", measure: measureMemory },
  { name: "steps", title: "No-op steps, the whole path", measure: measureSteps },
  { name: "starts", title: "Trigger answered to body begun", measure: measureStarts },
  { name: "chains", title: "Chains", measure: measureChains },
  { name: "shell", title: "Steps that are processes", measure: measureShell },
  { name: "logs", title: "Logs", measure: measureLogs },
  { name: "reads", title: "GET with roles apart", measure: measureReadsApart },
  { name: "agents", title: "Many agents, beating every 5 s", measure: measureAgents },
  { name: "growth", title: "Speed kept with 10 times the runs", measure: measureGrowth },
];
