import {
  type Caller,
  Fault,
  hasEnded,
  type Json,
  type Permission,
  type Run,
  runPermission,
  type Scope,
} from "@reeve/model";
import type { RunFilter } from "@reeve/store/runs";
import type { Context } from "../context.ts";
import type { Credential } from "../guard/identity.ts";
import { scopesWith } from "../operations/held-scopes.ts";
import type { EventOut, RouteAnswer } from "../route.ts";
import { attend } from "../watch/attend.ts";
import type { FactsReader } from "./facts.ts";
import { runRefusal } from "./find.ts";
import type { Followed, Live, Shown } from "./live.ts";
import { readWhole } from "./read.ts";
import { listRunsNow } from "./waits.ts";

type Events = NonNullable<RouteAnswer["events"]>;

export interface Follower {
  readonly caller: Caller | undefined;
  readonly credential: Credential | undefined;
}

/** A run with its steps, as long as the follower may read it; with `stays` also after its end. */
export function followRun(
  context: Context,
  live: Live,
  facts: FactsReader,
  follower: Follower,
  { id, scope }: Run,
  { stays = false } = {},
): Events {
  const read = async (): Promise<Shown | undefined> => {
    const whole = await readWhole(context.database, facts, id);
    if (whole === undefined) return undefined;
    const steps = whole.steps.map(
      (step) => [String(step.seq), { event: "step", data: { step } as never }] as const,
    );
    const run = ["run", { event: "run", data: { run: whole.run } as never }] as const;
    return {
      parts: new Map<string, { event: string; data: Json }>([...steps, run]),
      ended: hasEnded(whole.run.state),
    };
  };
  const refusal = (caller: Caller | undefined) => runRefusal(caller, scope, "read", id);
  return following(context, live, follower, refusal, {
    key: `run ${id}${stays ? " stays" : ""}`,
    run: id,
    stays,
    read,
  });
}

/** The newest runs that fit, live: new ones as they come, and every change of those on the page. */
export function followList(
  context: Context,
  live: Live,
  follower: Follower,
  { filter, scope, limit }: { filter: RunFilter; scope: Scope | undefined; limit: number },
): Events {
  const read = async (): Promise<Shown> => {
    const { items } = await listRunsNow(context.database, filter, undefined, limit);
    // Oldest first, as they came.
    const parts = items.map((run) => [run.id, { event: "run", data: { run } as never }] as const).reverse();
    return { parts: new Map(parts), ended: false };
  };
  const refusal = stillHeld(runPermission("read"), scope, filter.scopes);
  return following(context, live, follower, refusal, {
    key: `list ${JSON.stringify([filter, limit])}`,
    read,
  });
}

/** What may be seen was settled when the stream began: when it changes, it begins anew. */
export function stillHeld(permission: Permission, scope: Scope | undefined, scopes: readonly Scope[]) {
  return (caller: Caller | undefined): Fault | undefined =>
    JSON.stringify(scopesWith(caller, permission, scope)) === JSON.stringify(scopes)
      ? undefined
      : new Fault("conflict", "what you may see has changed", { next: "list again" });
}

export function following(
  context: Context,
  live: Live,
  follower: Follower,
  refusal: (caller: Caller | undefined) => Fault | undefined,
  what: Followed,
): Events {
  return (out: EventOut) => {
    let leave = () => {};
    const attended = attend(context, { ...follower, refusal }, out, () => leave());
    leave = live.follow(what, attended);
    return attended.leave;
  };
}
