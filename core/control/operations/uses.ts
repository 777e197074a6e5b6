import { Fault, showAddress } from "@reeve/model";
import type { Sql, Stored } from "@reeve/store";
import type { Context } from "../context.ts";
import type { Use } from "../controller.ts";
import { readRefusal } from "../guard/authorise.ts";
import type { Reader } from "./get.ts";

/** What uses a resource: what the caller may read of it, and how much there is besides. */
export async function usesOf(
  context: Context,
  { caller }: Pick<Reader, "caller">,
  resource: Stored,
  sql: Sql,
): Promise<{ shown: readonly Use[]; hidden: number }> {
  const uses = (await context.controllers.get(resource.kind)?.usedBy?.(sql, resource)) ?? [];
  const shown = uses.filter(({ pointer: _, ...at }) => {
    const kind = context.registry.byName(at.kind);
    return readRefusal(caller, { kind, at, controller: context.controllers.get(at.kind) }) === undefined;
  });
  return { shown, hidden: uses.length - shown.length };
}

/** Refuses to let a resource go that others use, and names them. */
export async function checkUnused(
  context: Context,
  asking: Pick<Reader, "caller">,
  resource: Stored,
  sql: Sql,
): Promise<void> {
  const { shown, hidden } = await usesOf(context, asking, resource, sql);
  if (shown.length + hidden === 0) return;
  const named = shown.slice(0, 20).map(({ pointer, ...at }) => `${showAddress(at)} (${pointer})`);
  const more = shown.length - named.length + hidden;
  const others = named.length === 0 ? "what you may not read" : `${more} more`;
  const list = [...named, ...(more > 0 ? [others] : [])].join(", ");
  throw new Fault(
    "precondition",
    `${showAddress({ kind: resource.kind, ...resource.metadata })} is in use by ${list}`,
    { next: "change these first, or delete it with force: they will fail when they need it" },
  );
}
