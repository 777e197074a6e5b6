import type { Json, JsonObject, Registry } from "@reeve/model";
import { type AtRest, keepJson, keepText } from "./at-rest/at-rest.ts";
import { changed, details, pastSpecs, readableOfSpec, specs } from "./at-rest/places.ts";
import type { BatchRows } from "./lane-batch.ts";
import type { Stored } from "./resource-row.ts";

/** The rows of a batch as they are to be kept: sealed where their organization wants it. Watchers get them as they were. */
export function rowsAtRest(atRest: AtRest | undefined, registry: Registry, rows: BatchRows): BatchRows {
  if (atRest?.active !== true) return rows;
  const seal = (stored: Stored): Stored => {
    const sealer = atRest.sealer(stored.metadata.scope);
    if (sealer === undefined) return stored;
    const readable = readableOfSpec(registry.byName(stored.kind), stored.spec);
    return {
      ...stored,
      spec: keepJson(sealer, specs, [stored.metadata.uid], stored.spec, readable) as JsonObject,
    };
  };
  const sealAll = (all: BatchRows["created"]) =>
    new Map([...all].map(([uid, stored]) => [uid, seal(stored)]));
  const scopes = new Map(rows.changes.map(({ uid, scope }) => [uid, scope]));
  return {
    ...rows,
    created: sealAll(rows.created),
    updated: sealAll(rows.updated),
    generations: rows.generations.map((row) => ({
      ...row,
      spec: keepJson(
        atRest.sealer(scopes.get(row.uid as string) ?? ""),
        pastSpecs,
        [row.uid, row.generation],
        row.spec as Json,
      ),
    })),
    changes: rows.changes.map((row) => ({
      ...row,
      object: keepText(atRest.sealer(row.scope), changed, [row.revision], row.object),
    })),
    audits: rows.audits.map((row) => ({
      ...row,
      detail: keepJson(
        atRest.sealer(row.organization as string),
        details,
        [row.revision],
        row.detail as Json,
      ),
    })),
  };
}
