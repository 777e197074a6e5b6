import type { Change, Json, JsonObject, Look, Resource, ResourceEvent, Scope } from "@reeve/model";
import { collectionPath, itemPath, type KindRef } from "./address.ts";
import { type Draft, manifestOf } from "./draft.ts";
import { type Applied, appliedOf, type Mutation, mutationCall, type Outcome } from "./mutation.ts";
import { fetchAll, fetchPage, type Page, type PageQuery } from "./pages.ts";
import { type Hold, type Removal, readRemoval } from "./removal.ts";
import { type WatchQuery, watch } from "./watch.ts";
import type { WatchEvent } from "./watch-memory.ts";
import type { Wire } from "./wire.ts";

export interface Difference<R> {
  readonly outcome: Outcome;
  readonly changes: readonly Change[];
  readonly before?: R | null;
  readonly after?: R | null;
}

/** One generation of a spec: what it was, who wrote it, when and why. */
export interface Generation<Spec> {
  readonly generation: number;
  readonly at: string;
  readonly author: string;
  readonly reason?: string | null;
  readonly spec: Spec;
}

export interface Why {
  readonly look: Look | null;
  readonly holds: readonly Hold[];
  /** What cannot do without it. */
  readonly usedBy: readonly Use[];
  /** What belongs to it, at most 100 of it. */
  readonly owned: readonly Omit<Use, "pointer">[];
  /** What a deletion would take with it, by kind. */
  readonly goesWith: readonly { readonly kind: string; readonly count: number }[];
}

/** A resource that uses another, and the place in it that says so. */
export interface Use {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
  readonly pointer: string;
}

/** The part of a resource that a merge patch may reach; null removes. */
export interface Patch {
  readonly metadata?: { readonly [field: string]: Json };
  readonly spec?: JsonObject;
}

interface Reading {
  readonly signal?: AbortSignal;
}

interface HistoryQuery extends Reading {
  readonly limit?: number;
  readonly before?: number;
}

/** All that can be done with the resources of one kind. */
export interface Collection<R extends Resource<unknown>> {
  readonly kind: KindRef;
  get(scope: Scope, name: string, options?: Reading): Promise<R>;
  /** Every item, over all pages. */
  list(scope: Scope, query?: PageQuery): AsyncGenerator<R, void>;
  page(scope: Scope, query?: PageQuery): Promise<Page<R>>;
  watch(scope: Scope, query?: WatchQuery<R>): AsyncGenerator<WatchEvent<R>, void>;
  apply(draft: Draft<R["spec"]>, options?: Mutation): Promise<Applied<R>>;
  create(draft: Draft<R["spec"]>, options?: Mutation): Promise<Applied<R>>;
  patch(scope: Scope, name: string, patch: Patch, options?: Mutation): Promise<Applied<R>>;
  delete(scope: Scope, name: string, options?: Mutation & { readonly force?: boolean }): Promise<Removal<R>>;
  diff(draft: Draft<R["spec"]>, options?: Reading): Promise<Difference<R>>;
  /** Newest first. */
  history(scope: Scope, name: string, query?: HistoryQuery): Promise<readonly Generation<R["spec"]>[]>;
  rollback(scope: Scope, name: string, generation: number, options?: Mutation): Promise<Applied<R>>;
  /** Newest first. */
  events(scope: Scope, name: string, options?: Reading): Promise<readonly ResourceEvent[]>;
  why(scope: Scope, name: string, options?: Reading): Promise<Why>;
  act<Output = unknown>(
    scope: Scope,
    name: string,
    action: string,
    input?: unknown,
    options?: Mutation,
  ): Promise<Output>;
}

export function openCollection<R extends Resource<unknown>>(wire: Wire, kind: KindRef): Collection<R> {
  const at = (scope: Scope, name: string) => itemPath(kind, scope, name);
  const read = async (path: string, query: HistoryQuery = {}) => {
    const { signal, ...words } = query;
    return (await wire.send({ path, query: words, signal })).body;
  };
  const itemsAt = async <T>(path: string, query?: HistoryQuery) =>
    ((await read(path, query)) as { items: T[] }).items;
  const change = async (call: Parameters<typeof mutationCall>[0], options?: Mutation) =>
    appliedOf<R>(await wire.send(mutationCall(call, options)));

  return {
    kind,
    get: async (scope, name, options) => (await read(at(scope, name), options)) as R,
    list: (scope, query) => fetchAll<R>(wire, collectionPath(kind, scope), query),
    page: (scope, query) => fetchPage<R>(wire, collectionPath(kind, scope), query),
    watch: (scope, query) =>
      watch(wire, collectionPath(kind, scope), query as WatchQuery) as AsyncGenerator<WatchEvent<R>>,
    apply(draft, options) {
      const { scope, name } = draft.metadata;
      return change({ method: "PUT", path: at(scope, name), body: manifestOf(kind, draft) }, options);
    },
    create: (draft, options) =>
      change({ path: collectionPath(kind, draft.metadata.scope), body: manifestOf(kind, draft) }, options),
    patch: (scope, name, body, options) => change({ method: "PATCH", path: at(scope, name), body }, options),
    async delete(scope, name, options = {}) {
      const query = options.force ? { force: true } : {};
      return readRemoval(
        await wire.send(mutationCall({ method: "DELETE", path: at(scope, name), query }, options)),
      );
    },
    async diff(draft, options) {
      const { scope, name } = draft.metadata;
      const call = {
        path: `${at(scope, name)}/diff`,
        body: manifestOf(kind, draft),
        signal: options?.signal,
      };
      return (await wire.send({ method: "POST", ...call })).body as Difference<R>;
    },
    history: (scope, name, query) => itemsAt(`${at(scope, name)}/history`, query),
    rollback: (scope, name, generation, options) =>
      change({ path: `${at(scope, name)}/rollback`, body: { generation } }, options),
    events: (scope, name, options) => itemsAt(`${at(scope, name)}/events`, options),
    why: async (scope, name, options) => (await read(`${at(scope, name)}/why`, options)) as Why,
    async act<Output>(scope: Scope, name: string, action: string, input: unknown = {}, options?: Mutation) {
      const path = `${at(scope, name)}/actions/${encodeURIComponent(action)}`;
      return (await wire.send(mutationCall({ path, body: input }, options))).body as Output;
    },
  };
}
