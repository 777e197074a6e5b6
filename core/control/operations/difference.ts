import { type Change, type Resource, readManifest } from "@reeve/model";
import { readResource, shown } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { applying, changesBetween } from "./apply.ts";
import { mutate } from "./mutate.ts";

export interface Difference {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly changes: readonly Change[];
  readonly before?: Resource;
  readonly after: Resource;
}

/** What applying this manifest would change; everything that apply would refuse is refused here too. */
export async function difference(context: Context, asking: Asking, input: unknown): Promise<Difference> {
  const { manifest, kind } = readManifest(input, context.registry);
  const at = { kind: kind.name, scope: manifest.metadata.scope, name: manifest.metadata.name };
  const before = await readResource(context.database, at);
  const written = await mutate(
    context,
    { ...asking, dryRun: true },
    applying(context, asking, kind, manifest, "diff"),
  );
  const after = written.resource as Resource;
  const outcome = written.outcome as Difference["outcome"];
  const changes = outcome === "unchanged" ? [] : changesBetween(before, after);
  return { outcome, changes, ...(before ? { before: shown(before) } : {}), after };
}
