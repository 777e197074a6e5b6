import { Fault, readManifest, showAddress } from "@reeve/model";
import type { Address, Stored, View, Written } from "@reeve/store";
import type { Context } from "../context.ts";
import { applying } from "../operations/apply.ts";
import { removing } from "../operations/remove.ts";
import { systemAsking } from "../system.ts";

/** What a reconciler makes for its resource belongs to it; what somebody else made under the same name is theirs. */
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
  const asking = systemAsking(context, why);
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

/** We may have slept since we looked: what has this name by now may be another one. */
function isStill(view: View, { kind, metadata }: Stored): boolean {
  const now = view.get({ kind, scope: metadata.scope, name: metadata.name });
  return now?.metadata.uid === metadata.uid;
}
