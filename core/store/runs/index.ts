/** SQL of runs, their steps and the leases of agents. It decides nothing: that is core/runs. */
export * from "./claim.ts";
export * from "./context.ts";
export * from "./finish.ts";
export * from "./graphs.ts";
export * from "./insert.ts";
export * from "./leases.ts";
export * from "./limits.ts";
export * from "./lock.ts";
export * from "./look.ts";
export * from "./queues.ts";
export * from "./read.ts";
export * from "./read-list.ts";
export * from "./read-waiting.ts";
export * from "./row-set.ts";
export * from "./rows.ts";
export * from "./write.ts";
export * from "./write-runs.ts";
