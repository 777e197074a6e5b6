import type { Control } from "../../control.ts";
import type { Limiter } from "../../guard/limiter.ts";
import type { RecordRefused } from "../../guard/refused-credentials.ts";
import type { PortService } from "../../peers/agents-listener.ts";
import { agentService, lifeLine } from "./agent-service.ts";
import { openCallers } from "./callers.ts";

export interface AgentDoorOptions {
  readonly limiter: Limiter;
  /** Calls a minute of one address without an identity. */
  readonly perMinute: number;
  readonly recordRefused: RecordRefused;
  /** Whether agents may come through a proxy that ends TLS. */
  readonly proxied: boolean;
}

/** The door for agents, all of it; the port is shared with the other replicas. */
export function agentDoor(control: Control, options: AgentDoorOptions): PortService {
  const { context, enrolment, links } = control;
  const { database, authority, runs, logs, log } = context;
  const callers = openCallers({ database, authority, enrolment, ...options });
  const serving = {
    database,
    authority,
    enrolment,
    callers,
    agents: runs.agents,
    links,
    file: control.file,
    observed: control.observed,
    usage: control.usage,
    logs,
    tunnels: context.tunnels,
    log,
    bearers: options.proxied,
  };
  return { routes: agentService(serving), line: lifeLine(serving) };
}
