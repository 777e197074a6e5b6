/** What services need on a host: their keeper. */
export type { DockerPlace } from "./compose.ts";
export { serviceKeeper } from "./keeper.ts";
