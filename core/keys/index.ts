/** Envelope encryption: a key for each value, under a key for each organization, under a root key outside of the database. */
export type { Sealed } from "@reeve/store";
export { openAtRest, type SealingAtRest } from "./at-rest.ts";
export { walkAtRest } from "./at-rest-walk.ts";
export { type Keyring, type Keys, openKeys } from "./keys.ts";
export type { RootPlace } from "./root.ts";
export { rootEnvironment } from "./root-environment.ts";
export { rootFile } from "./root-file.ts";
export { rootVault } from "./root-vault.ts";
export { openRoots, proofOf } from "./roots.ts";
export { nextRoot, rotateSome } from "./rotation.ts";
export { proveSealing } from "./self-test.ts";
