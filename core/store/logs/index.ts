/** SQL of the logs of runs. */
export * from "./archive.ts";
export { type ChunkRow, lengthOf, type NewChunk } from "./decide.ts";
export { unpack } from "./pack.ts";
export * from "./read.ts";
export * from "./retention.ts";
export * from "./write.ts";
