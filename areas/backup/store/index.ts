/** What a backup asks of the database: all of it at one moment, and a place to put it all back. */

export * from "./candidates.ts";
export { type ChainEnd, readChainEnds } from "./chain-ends.ts";
export * from "./refill.ts";
export * from "./scratch.ts";
export * from "./snapshot.ts";
export * from "./tables.ts";
