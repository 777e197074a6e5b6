/** The control plane's parts: doors take words in, one operation decides, the lane records. Work happens elsewhere, later. */

export { type Authority, openAuthority } from "./authority/authority.ts";
export { type KeyPair, selfSigned } from "./authority/certificate.ts";
export type { Context } from "./context.ts";
export { type Control, type ControlOptions, describeModel, startControl, type Wake } from "./control.ts";
export * from "./controller.ts";
export { agentDoor } from "./doors/agents/door.ts";
export type { Enrolment, JoinRequest } from "./doors/agents/enrolment.ts";
export { connectDoor } from "./doors/connect/door.ts";
export { isLoopback, openGate } from "./doors/gate.ts";
export { type Listener, listen } from "./doors/listen.ts";
export { restDoor } from "./doors/rest/rest-door.ts";
export { forbidden, notFound, notFoundScope, refusal, unauthenticated } from "./guard/authorise.ts";
export { staleness } from "./guard/fresh.ts";
export type { Credential, Identity, Whom } from "./guard/identity.ts";
export { judge } from "./guard/judge.ts";
export { openLimiter } from "./guard/limiter.ts";
export { refusedCredentials } from "./guard/refused-credentials.ts";
export { openTurns } from "./guard/turns.ts";
export { keyRoutes } from "./keys/routes.ts";
export { openMetrics } from "./metrics.ts";
export { ownerOf } from "./operations/apply.ts";
export { refuse } from "./operations/mutate.ts";
export { record } from "./operations/record.ts";
export { openPeers, type Peers } from "./peers/peers.ts";
export * from "./route.ts";
export { systemAuthor } from "./system.ts";
export { type Attendance, attend } from "./watch/attend.ts";
