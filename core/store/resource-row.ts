import {
  apiVersion,
  type JsonObject,
  newUid,
  type Owner,
  type Resource,
  type Status,
  type Uid,
} from "@reeve/model";
import { opened } from "./at-rest/at-rest.ts";
import { specs } from "./at-rest/places.ts";
import type { Sql } from "./sql.ts";

/** A row of `resource` as the driver returns it. */
export interface ResourceRow {
  readonly uid: Uid;
  readonly kind: string;
  readonly scope: string;
  readonly name: string;
  readonly generation: number;
  readonly revision: number;
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string>;
  readonly finalizers: string[];
  readonly owner: Owner | null;
  readonly paused: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly deleting_at: string | null;
  readonly deleting_force: boolean;
  readonly bytes: number;
  readonly spec: JsonObject;
  readonly status: Status;
}

export const resourceColumns =
  "uid, kind, scope, name, generation, revision, labels, annotations, finalizers, owner, paused, " +
  "created_at, updated_at, deleting_at, deleting_force, bytes, spec, status";

/** A resource with what only the store and the reconcilers need to know about it. */
export interface Stored extends Resource {
  readonly deletingForce: boolean;
  /** What it counts for in a quota's storage; the lane's to set. */
  readonly bytes: number;
}

/** The rows with their specs opened; at once, when none is sealed. */
export function openSpecs(sql: Sql, rows: ResourceRow[]): ResourceRow[] | Promise<ResourceRow[]> {
  return opened(sql, specs, rows, "spec", ({ uid }) => [uid]);
}

export function fromRow(row: ResourceRow): Stored {
  return {
    apiVersion,
    kind: row.kind,
    metadata: {
      scope: row.scope,
      name: row.name,
      uid: row.uid,
      generation: row.generation,
      revision: row.revision,
      labels: row.labels,
      annotations: row.annotations,
      finalizers: row.finalizers,
      ...(row.owner === null ? {} : { owner: row.owner }),
      ...(row.paused ? { paused: true } : {}),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      ...(row.deleting_at === null ? {} : { deletingAt: row.deleting_at }),
    },
    spec: row.spec,
    status: row.status,
    deletingForce: row.deleting_force,
    bytes: row.bytes,
  };
}

/** The row's values as JSON, in the shape of `json_to_recordset`. */
export function toRow(stored: Stored): Record<string, unknown> {
  const { metadata } = stored;
  return {
    uid: metadata.uid,
    kind: stored.kind,
    scope: metadata.scope,
    name: metadata.name,
    generation: metadata.generation,
    revision: metadata.revision,
    labels: metadata.labels,
    annotations: metadata.annotations,
    finalizers: metadata.finalizers,
    owner: metadata.owner ?? null,
    owner_uid: metadata.owner?.uid ?? null,
    paused: metadata.paused ?? false,
    created_at: metadata.createdAt,
    updated_at: metadata.updatedAt,
    deleting_at: metadata.deletingAt ?? null,
    deleting_force: stored.deletingForce,
    bytes: stored.bytes,
    spec: stored.spec,
    status: stored.status,
  };
}

/** The resource as callers see it. */
export function shown(stored: Stored): Resource {
  const { deletingForce: _, bytes: __, ...resource } = stored;
  return resource;
}

/** A resource as it is before its first write; what only the write can tell comes with it. */
export function newResource(
  at: { readonly kind: string; readonly scope: string; readonly name: string },
  spec: JsonObject,
  more: Partial<Resource["metadata"]> = {},
): Stored {
  const now = new Date().toISOString();
  const unset = { labels: {}, annotations: {}, finalizers: [], createdAt: now, updatedAt: now };
  return {
    apiVersion,
    kind: at.kind,
    metadata: {
      scope: at.scope,
      name: at.name,
      uid: newUid(),
      generation: 1,
      revision: 0,
      ...unset,
      ...more,
    },
    spec,
    status: {},
    deletingForce: false,
    bytes: 0,
  };
}
