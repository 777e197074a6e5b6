import { Fault, type JsonObject, type Outcome } from "@reeve/model";
import { type DueLook, type EventEntry, endLook, forgetLook, readByUid, type Stored } from "@reeve/store";
import type { Context } from "../context.ts";
import type { AlsoRows, LookAt } from "../controller.ts";
import { removing } from "../operations/remove.ts";
import { systemAsking, systemAuthor } from "../system.ts";
import { reconcileDeletion } from "./deletion.ts";
import { applyOwned, removeOwned } from "./owned.ts";

/** Looks at one resource, given only its key: everything else is read now. Records what was seen and when to look next. */
export async function lookAt(
  context: Context,
  due: DueLook,
  replica: string,
  signal: AbortSignal,
): Promise<Outcome["kind"] | "paused" | "gone"> {
  const resource = await readByUid(context.database, due.uid);
  if (resource === undefined) {
    await forgetLook(context.database, due.uid);
    return "gone";
  }
  if (resource.metadata.paused && resource.metadata.deletingAt === undefined) {
    await endLook(context.database, due, replica, {
      outcome: "paused",
      why: "paused by a person; `reeve resume` goes on",
      againInMs: undefined,
    });
    return "paused";
  }
  const { outcome, after, overtaken } = await decide(context, resource, signal);
  // Who knows when to try again has expected the failure, and reported it.
  const unexpected = outcome.kind === "failed" && outcome.againInMs === undefined;
  if (unexpected) await noteFailure(context, resource, outcome.why);
  // Whoever overtook it may have been another look, which would have nobody look again if it dies.
  const again = outcome.againInMs ?? (overtaken ? 0 : undefined);
  const againInMs = unexpected ? backoffMs(due.failures) : await soonest(context, after, again);
  await endLook(context.database, due, replica, { outcome: outcome.kind, why: outcome.why, againInMs });
  return outcome.kind;
}

/** What else is to be done with what the look has shown, and when to look again for that. */
async function soonest(
  { afterLooks }: Context,
  resource: Stored,
  againInMs: number | undefined,
): Promise<number | undefined> {
  if (resource.metadata.deletingAt !== undefined) return againInMs;
  const asked = await Promise.all(afterLooks.map((afterLook) => afterLook(resource)));
  const times = [againInMs, ...asked].filter((one) => one !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** What came of it, the resource as it was left, and whether something that the look wanted was not done, as it had changed meanwhile. */
async function decide(
  context: Context,
  resource: Stored,
  signal: AbortSignal,
): Promise<{ outcome: Outcome; after: Stored; overtaken: boolean }> {
  let after = resource;
  let overtaken = false;
  const look = lookFor(context, resource, signal, (now) => {
    if (now === undefined) overtaken = true;
    else after = now;
  });
  const outcome = await carriedOut(context, look);
  return { outcome, after, overtaken };
}

async function carriedOut(context: Context, look: LookAt): Promise<Outcome> {
  const { resource, signal } = look;
  try {
    if (resource.metadata.deletingAt !== undefined) return await reconcileDeletion(context, look);
    const reconcile = context.controllers.get(resource.kind)?.reconcile;
    if (reconcile === undefined) return { kind: "done", why: "nothing to do for this kind" };
    return await reconcile(look);
  } catch (error) {
    if (signal.aborted) return { kind: "waiting", why: "the server was stopped meanwhile", againInMs: 0 };
    if (!(error instanceof Fault))
      context.log.error({ err: error, kind: resource.kind, uid: resource.metadata.uid }, "a look failed");
    return { kind: "failed", why: error instanceof Error ? error.message : String(error) };
  }
}

/** A failure is an event too, so that it is still told when a later look went well. */
async function noteFailure(context: Context, resource: Stored, message: string): Promise<void> {
  const { uid } = resource.metadata;
  await context.lane.submit({
    author: systemAuthor("observed"),
    needs: [],
    decide: () => ({
      writes: [],
      audit: [],
      events: [{ uid, tone: "warning", reason: "LookFailed", message }],
    }),
  });
}

/** 1 s, 2 s, 4 s … 5 min, with a spread so that many failures do not come back together. */
function backoffMs(failures: number): number {
  return Math.min(300_000, 1000 * 2 ** Math.min(failures, 9)) * (0.75 + Math.random() / 2);
}

function lookFor(
  context: Context,
  resource: Stored,
  signal: AbortSignal,
  written: (now: Stored | undefined) => void,
): LookAt {
  const { uid, scope, name } = resource.metadata;
  const at = { kind: resource.kind, scope, name };
  let seen = resource.metadata.revision;
  return {
    resource,
    tools: context,
    signal,
    async report(status: JsonObject, events: readonly Omit<EventEntry, "uid">[] = [], also?: AlsoRows) {
      let now = resource;
      const { resource: reported } = await context.lane.submit({
        author: systemAuthor("observed"),
        needs: [at],
        quiet: true,
        decide(view) {
          const found = view.get(at);
          if (found === undefined || found.metadata.revision !== seen) return { writes: [], audit: [] };
          const { generation } = found.metadata;
          now = {
            ...found,
            status: { ...status, observedGeneration: generation, observedAt: view.now },
          };
          return {
            writes: [{ operation: "update", resource: now }],
            audit: [],
            events: events.map((event) => ({ ...event, uid })),
            ...(also === undefined ? {} : { also }),
          };
        },
      });
      if (reported === undefined) {
        written(undefined);
        return false;
      }
      seen = reported.metadata.revision;
      written(now);
      return true;
    },
    async remove(why: string) {
      const asking = systemAsking(context, why);
      const wanted = removing(context, asking, at, false);
      await context.lane.submit({
        author: asking,
        ...wanted,
        decide(view) {
          // We may have slept since we looked: what has this name by now may be another one.
          const same = view.get(at)?.metadata.revision === seen;
          if (!same) written(undefined);
          return same ? wanted.decide(view) : { writes: [], audit: [] };
        },
      });
    },
    applyOwned: (manifest, why) => applyOwned(context, resource, manifest, why),
    removeOwned: (owned, why) => removeOwned(context, resource, owned, why),
  };
}
