import type { Caller, Origin } from "@reeve/model";
import type { AuditKeeper } from "./audit/keeper.ts";
import type { AfterLook, Controller, Overseer, Tools } from "./controller.ts";
import type { Identity } from "./guard/identity.ts";
import type { Logs } from "./logs/logs.ts";
import type { Rehearsal } from "./operations/mutate.ts";
import type { Tunnels } from "./tunnels/tunnels.ts";
import type { Hub } from "./watch/hub.ts";

/** Everything an operation may use. Made once, at start. */
export interface Context extends Tools {
  readonly controllers: ReadonlyMap<string, Controller>;
  readonly overseers: readonly Overseer[];
  readonly afterLooks: readonly AfterLook[];
  readonly identity: Identity;
  readonly hub: Hub;
  readonly audit: AuditKeeper;
  readonly logs: Logs;
  /** To what people look at on the hosts of agents. */
  readonly tunnels: Tunnels;
}

/** Who asks for an operation and on which conditions; the same for every door. */
export interface Asking {
  readonly caller: Caller | undefined;
  readonly origin: Origin;
  readonly reason: string;
  readonly dryRun: boolean;
  /** What the dry runs before this one would have written. */
  readonly rehearsal?: Rehearsal;
  /** Refuse when the resource has another revision than this. */
  readonly ifMatch?: number;
  /** Refuse when the resource exists. */
  readonly ifNoneMatch?: boolean;
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
}
