import { type InstallationFigures, readFigures } from "@reeve/store/runs";
import { Gauge, type Registry } from "prom-client";
import type { Measured, Total } from "./metrics.ts";

const agentStates = ["joined", "connected", "suspect", "lost", "revoked"];
/** What agents say of what they keep. */
const keptStates = ["running", "stopped", "starting", "degraded", "absent", "unknown"];

/** Runs, agents and logs: what the whole installation has, which every replica tells alike, and what this replica did. */
export function measureRuns(registry: Registry, measured: () => Measured | undefined, total: Total): void {
  let asked: { at: number; figures: Promise<InstallationFigures | undefined> } | undefined;

  /** All gauges of one scrape share one look. Without a database there is nothing to tell, and that is told. */
  function figures(): Promise<InstallationFigures | undefined> {
    const from = measured();
    if (from === undefined || from.database.awaySince !== undefined) return Promise.resolve(undefined);
    if (asked === undefined || performance.now() - asked.at > 1000)
      asked = { at: performance.now(), figures: readFigures(from.database).catch(() => undefined) };
    return asked.figures;
  }

  const gauge = (name: string, help: string, read: (figures: InstallationFigures) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const now = await figures();
        this.set(now === undefined ? Number.NaN : read(now));
      },
    });
  gauge("reeve_steps_ready", "Steps that an agent could begin now", ({ ready }) => ready);
  gauge(
    "reeve_step_ready_oldest_seconds",
    "How long the step waits for an agent that has waited longest",
    ({ oldestReadySeconds }) => oldestReadySeconds,
  );
  gauge(
    "reeve_steps_held",
    "Steps that agents have: offered, running, or lost with them",
    ({ held }) => held,
  );
  gauge("reeve_runs_open", "Runs that have not ended", ({ openRuns }) => openRuns);
  const byState = (
    name: string,
    help: string,
    states: readonly string[],
    read: (figures: InstallationFigures) => Readonly<Record<string, number>>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ["state"],
      registers: [registry],
      async collect() {
        const now = await figures();
        const counts = now && read(now);
        for (const state of states)
          this.set({ state }, counts === undefined ? Number.NaN : (counts[state] ?? 0));
      },
    });
  byState("reeve_agents", "Agents by their state", agentStates, ({ agents }) => agents);
  byState(
    "reeve_instances",
    "Services on hosts, by how their agents saw them last",
    keptStates,
    ({ kept }) => kept,
  );
  new Gauge({
    name: "reeve_agent_links",
    help: "Agents that are connected to this replica",
    registers: [registry],
    collect() {
      this.set(measured()?.runs().links ?? 0);
    },
  });
  total("reeve_steps_claimed_total", "Steps that were offered to agents", (from) => from.runs().claimed);
  total("reeve_steps_finished_total", "Ends of attempts that were recorded", (from) => from.runs().finished);
  total("reeve_agents_lost_total", "Agents whose lease ran out", (from) => from.runs().lostAgents);
  total("reeve_log_chunks_total", "Pieces of output that were stored", (from) => from.logs().chunks);
  total(
    "reeve_log_bytes_total",
    "Bytes of output that were stored, as they came",
    (from) => from.logs().bytes,
  );
}
