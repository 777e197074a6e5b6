/** What organizations have sealed where it is kept. */
export * from "./at-rest.ts";
export * from "./data-keys.ts";
export * from "./organizations.ts";
export { corePlaces } from "./places.ts";
export * from "./walk.ts";
