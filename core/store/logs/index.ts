/** SQL of the logs of runs. */
export type { ChunkRow, NewChunk } from "./decide.ts";
export * from "./read.ts";
export * from "./retention.ts";
export * from "./write.ts";
