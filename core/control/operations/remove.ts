import { Fault, kindCan, type Resource, showAddress } from "@reeve/model";
import type { Address, Sql, Stored, Written } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { notFound, refusal } from "../guard/authorise.ts";
import { changesBetween } from "./apply.ts";
import { checkMatch, mutate, refused, type Wanted } from "./mutate.ts";
import { checkUnused } from "./uses.ts";

/** Deletes: at once when nothing holds the resource, otherwise it is marked and goes when its holders have let go. */
export function remove(context: Context, asking: Asking, at: Address, force: boolean): Promise<Written> {
  return mutate(context, asking, removing(context, asking, at, force));
}

export function removing(context: Context, asking: Asking, at: Address, force: boolean): Wanted {
  const kind = context.registry.byName(at.kind);
  const controller = context.controllers.get(at.kind);
  return {
    needs: [at],
    asksOwned: true,
    decide(view) {
      const before = view.get(at);
      const fault = refusal(asking.caller, { kind, verb: "delete", at, controller, resource: before });
      if (fault !== undefined) return refused("delete", at, fault);
      if (before === undefined) throw notFound(at);
      checkMatch(asking, kind, before);
      const verdict = kindCan(kind, "delete", before);
      if (!verdict.yes)
        throw new Fault("precondition", `${showAddress(at)} cannot be deleted: ${verdict.why}`);
      const caller = asking.caller as NonNullable<Asking["caller"]>;
      controller?.letGo?.(before, caller);
      const more =
        force || !controller?.usedBy
          ? {}
          : { check: (sql: Sql) => checkUnused(context, asking, before, sql) };
      const audit = {
        ...at,
        operation: "delete",
        outcome: "done" as const,
        detail: { force, ...(force ? { leftBehind: leftBehind(before) } : {}) },
      };
      // A forced deletion waits for nothing outside; the contents of a scope still go first, forced as well.
      const holds = before.metadata.finalizers.filter(
        (finalizer) => !force || finalizer === "reeve/contents",
      );
      if (holds.length === 0 && !view.ownsAny(before.metadata.uid)) {
        const detail = { ...audit.detail, changes: changesBetween(before, undefined) };
        return {
          writes: [{ operation: "delete", resource: before }],
          audit: [{ ...audit, detail }],
          ...more,
        };
      }
      if (
        before.metadata.deletingAt !== undefined &&
        before.deletingForce === (force || before.deletingForce)
      )
        return { writes: [], audit: [], seen: before };
      const resource: Stored = {
        ...before,
        deletingForce: force || before.deletingForce,
        metadata: {
          ...before.metadata,
          deletingAt: before.metadata.deletingAt ?? view.now,
          finalizers: holds,
        },
      };
      const message = force
        ? "deletion was forced: it waits for nothing outside"
        : "deletion was asked for; `why` tells what it waits for";
      const event = { uid: before.metadata.uid, tone: "normal" as const, reason: "Deleting", message };
      return { writes: [{ operation: "update", resource }], audit: [audit], events: [event], ...more };
    },
  };
}

/** What a forced deletion does not wait for: the things outside that these finalizers stood for may still be there. */
export function leftBehind(resource: Resource): string[] {
  return resource.metadata.finalizers.filter((finalizer) => finalizer !== "reeve/contents");
}
