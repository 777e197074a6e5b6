/** The control plane's parts: doors take words in, one operation decides, the lane records. Work happens elsewhere, later. */
export type { Context } from "./context.ts";
export * from "./controller.ts";
export { forbidden, notFound, refusal, unauthenticated } from "./guard/authorise.ts";
export type { Credential, Identity } from "./guard/identity.ts";
export { ownerOf } from "./operations/apply.ts";
export * from "./route.ts";
export { systemAuthor } from "./system.ts";
