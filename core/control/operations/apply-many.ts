import type { Written } from "@reeve/store";
import type { Asking, Context } from "../context.ts";
import { apply } from "./apply.ts";
import { newRehearsal } from "./mutate.ts";

export type Applied = { readonly written: Written } | { readonly error: unknown };

/**
 * Applies many, each with a verdict of its own. They are submitted at once and in order, so they share the lane's batches,
 * where each sees those before it; a dry run tries them one after the other for the same reason.
 */
export async function applyMany(
  context: Context,
  asking: Asking,
  manifests: readonly unknown[],
): Promise<Applied[]> {
  const one = (manifest: unknown, asked: Asking): Promise<Applied> =>
    Promise.resolve()
      .then(() => apply(context, asked, manifest))
      .then(
        (written) => ({ written }),
        (error: unknown) => ({ error }),
      );
  if (!asking.dryRun)
    return Promise.all(manifests.map((manifest, index) => one(manifest, forItem(asking, index))));
  const rehearsal = newRehearsal();
  const results: Applied[] = [];
  for (const manifest of manifests) results.push(await one(manifest, { ...asking, rehearsal }));
  return results;
}

/** Each item of a repeated request is recognised by its place. */
function forItem(asking: Asking, index: number): Asking {
  const { idempotency } = asking;
  return idempotency === undefined
    ? asking
    : { ...asking, idempotency: { ...idempotency, key: `${idempotency.key}#${index}` } };
}
