import { childScope, contains, Fault } from "@reeve/model";
import type { PlacedManifest } from "./place-manifests.ts";

/**
 * Whether a refusal only means that the scope is not there yet, while this very set of manifests makes it. A dry run keeps
 * nothing, so what would come into a new scope cannot be checked by the server; it would be created, that much is certain.
 */
export function awaitsItsScope(one: PlacedManifest, all: readonly PlacedManifest[], error: unknown): boolean {
  if (!(error instanceof Fault) || error.kind !== "not_found") return false;
  const { scope } = one.manifest.metadata;
  return all.some(({ kind, manifest }) => {
    if (!kind?.opensScope || manifest === one.manifest) return false;
    return contains(childScope(manifest.metadata.scope, manifest.metadata.name), scope);
  });
}
