/** What hosts and containers have used; why it is kept in this shape is in docs/decisions. */
export * from "./read.ts";
export { usageRetention } from "./retention.ts";
export * from "./write.ts";
