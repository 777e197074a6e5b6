import { type Json, type JsonObject, newUid, type Resource, sameJson } from "@reeve/model";
import { CallFault, type Collection } from "@reeve/sdk";
import { complete } from "../writable.ts";

interface Applying {
  readonly manifest: JsonObject;
  /** What the draft began with; undefined when it is to be made. */
  readonly base: Resource | undefined;
  readonly reason?: string;
}

/** What became of it: done, or somebody else was faster. */
export type Ending = { readonly resource: Resource } | { readonly current: Resource };

/**
 * Applies a draft unless somebody has changed the resource since it was read. A new revision alone is no change: it moves with
 * every report of the status, too.
 */
export async function applyDraft(
  things: Collection<Resource>,
  { manifest, base, reason }: Applying,
  idempotencyKey: string,
): Promise<Ending> {
  const options = { idempotencyKey, ...(reason ? { reason } : {}) };
  const draft = complete(manifest);
  if (base === undefined) return { resource: (await things.create(draft, options)).resource };
  let { revision } = base.metadata;
  for (;;) {
    try {
      return { resource: (await things.apply(draft, { ...options, ifMatch: revision })).resource };
    } catch (error) {
      if (!(error instanceof CallFault) || error.kind !== "conflict") throw error;
      const current = await things.get(base.metadata.scope, base.metadata.name);
      const stays = current.metadata.uid === base.metadata.uid && sameJson(byPeople(current), byPeople(base));
      if (!stays || current.metadata.revision === revision) return { current };
      revision = current.metadata.revision;
      options.idempotencyKey = newUid();
    }
  }
}

function byPeople({ metadata, spec }: Resource): Json {
  const { labels, annotations, finalizers, owner = null, paused = false } = metadata;
  return { labels, annotations, finalizers, owner, paused, spec } as unknown as Json;
}
