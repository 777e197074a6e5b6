/** Envelope encryption: a key for each value, under a key for each organization, under a root key outside of the database. */
export type { Sealed } from "@reeve/store";
export { type Keys, openKeys } from "./keys.ts";
export { openRing, type Ring } from "./ring.ts";
export type { RootKey, RootPlace } from "./root.ts";
export { rootEnvironment } from "./root-environment.ts";
export { rootFile } from "./root-file.ts";
export { proveSealing } from "./self-test.ts";
