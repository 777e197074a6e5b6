/**
 * The agent's parts: its link to the control plane, the attempts it runs, and the interfaces by which areas add executors and keepers.
 * It holds no truth: wipe its disk, join again, and nothing acknowledged is lost.
 */
export * from "./agent.ts";
export * from "./attempt-key.ts";
export * from "./attempts/attempts.ts";
export * from "./executor.ts";
export * from "./facts.ts";
export * from "./keepers/keeper.ts";
export * from "./link/enrol.ts";
export * from "./link/identity.ts";
export * from "./logs/shipping.ts";
export * from "./tunnels/opener.ts";
export { readNetwork, textOf } from "./usage/host.ts";
export type { KeptReading, UsageReading } from "./usage/reading.ts";
