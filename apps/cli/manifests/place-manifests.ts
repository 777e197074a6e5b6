import { contains, Fault, type JsonObject, levels, type Scope, scopeParts } from "@reeve/model";
import type { CliKind } from "@reeve/sdk/cli";
import { fitScope, type Standing } from "../places.ts";
import type { WrittenManifest } from "./read-manifests.ts";

/** A manifest that knows where it belongs. */
export interface PlacedManifest {
  readonly kind: CliKind | undefined;
  readonly manifest: JsonObject & {
    readonly kind: string;
    readonly metadata: JsonObject & { readonly name: string; readonly scope: Scope };
  };
  place(pointer: string): string;
}

type FindKind = (name: string) => Promise<CliKind | undefined>;

/** Fills in the scope one stands in where a manifest names none, and puts scopes before what lives in them. */
export async function placeManifests(
  written: readonly WrittenManifest[],
  standing: Standing,
  find: FindKind,
): Promise<PlacedManifest[]> {
  const placed: PlacedManifest[] = [];
  for (const one of written) {
    const kind = await find(one.manifest.kind);
    const scope = scopeOf(one, kind, standing);
    const { metadata } = one.manifest;
    placed.push({ kind, place: one.place, manifest: { ...one.manifest, metadata: { ...metadata, scope } } });
  }
  return placed.sort((a, b) => rank(a) - rank(b));
}

function scopeOf({ manifest, place }: WrittenManifest, kind: CliKind | undefined, standing: Standing): Scope {
  const { scope } = manifest.metadata;
  if (scope === undefined) {
    // The server names an unknown kind better than a guess about its scope would.
    if (kind === undefined) return standing.scope;
    return fitScope(kind, { ...standing, explicit: false });
  }
  if (standing.explicit && !contains(standing.scope, scope) && !kind?.levels.includes("installation"))
    throw new Fault(
      "invalid",
      `${place("/metadata/scope")}: ${scope || '""'} is not within --scope ${standing.scope}`,
      {
        next: "leave --scope out, or correct the file; nothing was sent",
      },
    );
  return scope;
}

/** Scopes come from the outside in; everything else keeps the order of the files. */
function rank({ kind, manifest }: PlacedManifest): number {
  return kind?.opensScope ? scopeParts(manifest.metadata.scope).length : levels.length;
}
