import type { Runs } from "@reeve/runs";
import type { Database, Lane } from "@reeve/store";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Logs } from "./logs/logs.ts";
import { measureRuns } from "./run-metrics.ts";

/** Prometheus figures of this replica. */
export interface Metrics {
  answered(method: string, route: string, status: number, ms: number): void;
  /** A limit turned somebody away. */
  limited(limit: string): void;
  text(): Promise<string>;
}

export interface Measured {
  readonly lane: Lane;
  readonly database: Database;
  readonly watchers: () => number;
  readonly loop: () => { looks: number; failed: number; inFlight: number } | undefined;
  readonly runs: () => Runs["figures"];
  readonly logs: () => Logs["figures"];
}

/** A counter that follows a figure which only grows. */
export type Total = (name: string, help: string, read: (from: Measured) => number) => void;

export function openMetrics(measured: () => Measured | undefined): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "reeve_http_request_seconds",
    help: "Time to answer a request",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const limited = new Counter({
    name: "reeve_limited_total",
    help: "Requests turned away by a limit: of an address, a subject, its watches, its requests at once, a route",
    labelNames: ["limit"],
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: (from: Measured) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const from = measured();
        if (from !== undefined) this.set(read(from));
      },
    });
  gauge("reeve_lane_waiting", "Changes that wait to be written", (from) => from.lane.figures.waiting);
  gauge(
    "reeve_lane_last_batch_seconds",
    "Time of the last batch of the write lane",
    (from) => from.lane.figures.lastBatchMs / 1000,
  );
  gauge("reeve_watchers", "Open watches on this replica", (from) => from.watchers());
  gauge("reeve_database_up", "Whether the database answered when last asked", (from) =>
    from.database.awaySince === undefined ? 1 : 0,
  );
  gauge("reeve_looks_in_flight", "Reconcilers at work", (from) => from.loop()?.inFlight ?? 0);
  const total: Total = (name, help, read) => {
    let last = 0;
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        const from = measured();
        const now = from === undefined ? last : read(from);
        this.inc(Math.max(0, now - last));
        last = now;
      },
    });
  };
  total(
    "reeve_lane_batches_total",
    "Batches committed by the write lane",
    (from) => from.lane.figures.batches,
  );
  total(
    "reeve_lane_mutations_total",
    "Changes that went through the write lane",
    (from) => from.lane.figures.mutations,
  );
  total("reeve_looks_total", "Looks of reconcilers", (from) => from.loop()?.looks ?? 0);
  total("reeve_looks_failed_total", "Looks that failed", (from) => from.loop()?.failed ?? 0);
  measureRuns(registry, measured, total);
  return {
    answered: (method, route, status, ms) =>
      requests.observe({ method, route, status: String(status) }, ms / 1000),
    limited: (limit) => limited.inc({ limit }),
    text: () => registry.metrics(),
  };
}
