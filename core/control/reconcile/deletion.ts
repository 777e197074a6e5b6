import { type Outcome, showAddress } from "@reeve/model";
import { countDependents, listUnmarked, type Stored } from "@reeve/store";
import type { Context } from "../context.ts";
import type { LookAt } from "../controller.ts";
import { changesBetween } from "../operations/apply.ts";
import { belongingTo } from "../operations/get.ts";
import { systemAuthor } from "../system.ts";

const markedAtOnce = 500;

/**
 * Moves a resource that is being deleted one step closer to its end: what belongs to it goes first, then its
 * finalizers, then the row. Every wait is named, so that `why` can tell what blocks.
 */
export async function reconcileDeletion(context: Context, look: LookAt): Promise<Outcome> {
  const { resource } = look;
  const belonging = belongingTo(context, resource);
  const dependents = await listUnmarked(context.database, belonging, {
    force: resource.deletingForce,
    limit: markedAtOnce,
  });
  await Promise.all(dependents.map((one) => markDependent(context, one, resource)));
  const left = await countDependents(context.database, belonging);
  if (left.length > 0) {
    const againInMs = dependents.length < markedAtOnce ? 2000 : 0;
    const names = left.map(({ kind: name, count }) => `${count} ${name}`).join(", ");
    return { kind: "waiting", why: `being deleted: waits for ${names} that belong to it`, againInMs };
  }
  const undo = context.controllers.get(resource.kind)?.undo ?? {};
  const { finalizers } = resource.metadata;
  if (!resource.deletingForce)
    for (const finalizer of finalizers) {
      const outcome = await undo[finalizer]?.(look);
      if (outcome !== undefined && outcome.kind !== "done") return outcome;
    }
  const foreign = finalizers.filter((finalizer) => finalizer !== "reeve/contents" && !(finalizer in undo));
  if (foreign.length > 0 && !resource.deletingForce)
    return {
      kind: "waiting",
      why: `being deleted: waits for ${foreign.join(", ")} to be removed; delete with force to end without it`,
      againInMs: 30_000,
    };
  if (await finish(context, resource)) return { kind: "done", why: "deleted" };
  return { kind: "waiting", why: "being deleted: it changed meanwhile", againInMs: 0 };
}

/** A dependent goes the same way: at once when nothing holds it, else marked, and looked after by its own look. */
async function markDependent(context: Context, dependent: Stored, owner: Stored): Promise<void> {
  const { uid } = dependent.metadata;
  const at = { kind: dependent.kind, scope: dependent.metadata.scope, name: dependent.metadata.name };
  const because = `${showAddress({ kind: owner.kind, ...owner.metadata })} is being deleted`;
  await context.lane.submit({
    author: systemAuthor(because),
    needs: [at],
    asksOwned: true,
    decide(view) {
      const now = view.get(at);
      if (now === undefined || now.metadata.uid !== uid) return { writes: [], audit: [] };
      const force = owner.deletingForce || now.deletingForce;
      const holds = now.metadata.finalizers.filter((finalizer) => !force || finalizer === "reeve/contents");
      const audit = { ...at, operation: "delete", outcome: "done" as const };
      if (holds.length === 0 && !view.ownsAny(uid)) {
        const detail = { force, changes: changesBetween(now, undefined) };
        return { writes: [{ operation: "delete", resource: now }], audit: [{ ...audit, detail }] };
      }
      const metadata = {
        ...now.metadata,
        finalizers: holds,
        deletingAt: now.metadata.deletingAt ?? view.now,
      };
      return {
        writes: [{ operation: "update", resource: { ...now, metadata, deletingForce: force } }],
        audit: [{ ...audit, detail: { force } }],
      };
    },
  });
}

/** Whether it is gone. */
async function finish(context: Context, resource: Stored): Promise<boolean> {
  const { uid, scope, name } = resource.metadata;
  const at = { kind: resource.kind, scope, name };
  let isGone = false;
  await context.lane.submit({
    author: systemAuthor("nothing holds it any more"),
    needs: [at],
    asksOwned: true,
    decide(view) {
      const now = view.get(at);
      // Conditional on what was seen: a child that was made meanwhile, or a new finalizer, is looked at again.
      isGone = now?.metadata.uid !== uid;
      if (now?.metadata.revision !== resource.metadata.revision || view.ownsAny(uid))
        return { writes: [], audit: [] };
      isGone = true;
      return {
        writes: [{ operation: "delete", resource: now }],
        audit: [
          {
            ...at,
            operation: "delete",
            outcome: "done",
            detail: { changes: changesBetween(now, undefined) },
          },
        ],
      };
    },
  });
  return isGone;
}
