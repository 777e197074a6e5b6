import {
  type Caller,
  Fault,
  type Kind,
  permissionOf,
  readManifest,
  showAddress,
  verbsOf,
} from "@reeve/model";
import type { Address, Stored, View, Written } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { applying } from "../operations/apply.ts";
import { removing } from "../operations/remove.ts";
import { systemAsking } from "../system.ts";

/**
 * What a reconciler makes for its resource belongs to it; what somebody else made under the same name is theirs. It may do that and
 * no more: what is made may come from outside, and ask for what only some may have.
 */
export async function applyOwned(
  context: Context,
  owner: Stored,
  input: unknown,
  why: string,
): Promise<Written> {
  const { manifest, kind } = readManifest(input, context.registry);
  const { scope, name } = manifest.metadata;
  const at: Address = { kind: kind.name, scope, name };
  const { kind: ownerKind, metadata } = owner;
  const { uid: _, ...rest } = manifest.metadata;
  const owned = {
    ...manifest,
    metadata: { ...rest, owner: { kind: ownerKind, scope: metadata.scope, name: metadata.name } },
  };
  const asking = ownersAsking(context, owner, kind, why);
  const wanted = applying(context, asking, kind, owned, "apply");
  return context.lane.submit({
    author: asking,
    ...wanted,
    decide(view) {
      const now = view.get(at);
      if (!isStill(view, owner))
        throw new Fault("conflict", `${showAddress({ kind: ownerKind, ...metadata })} is gone`);
      if (now !== undefined && now.metadata.owner?.uid !== metadata.uid)
        throw new Fault("exists", `${showAddress(at)} is there already and does not belong to it`, {
          next: "delete the one that is there, or choose another name",
        });
      return wanted.decide(view);
    },
  });
}

export async function removeOwned(context: Context, owner: Stored, at: Address, why: string): Promise<void> {
  const asking = systemAsking(context, why);
  const wanted = removing(context, asking, at, false);
  await context.lane.submit({
    author: asking,
    ...wanted,
    decide: (view) =>
      view.get(at)?.metadata.owner?.uid === owner.metadata.uid
        ? wanted.decide(view)
        : { writes: [], audit: [] },
  });
}

function ownersAsking(context: Context, owner: Stored, kind: Kind, why: string): Asking {
  const asking = systemAsking(context, why);
  const reads = permissionOf(context.registry.byName(owner.kind), "read");
  const allowed = new Set([reads, ...verbsOf(kind).map((verb) => permissionOf(kind, verb))]);
  const role = { name: "system", summary: "", allows: allowed };
  const grants = [{ scope: owner.metadata.scope, role, binding: "system" }];
  return { ...asking, caller: { ...(asking.caller as Caller), grants } };
}

/** We may have slept since we looked: what has this name by now may be another one. */
function isStill(view: View, { kind, metadata }: Stored): boolean {
  const now = view.get({ kind, scope: metadata.scope, name: metadata.name });
  return now?.metadata.uid === metadata.uid;
}
