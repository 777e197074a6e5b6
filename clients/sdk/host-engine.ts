import type { Scope } from "@reeve/model";
import type { FoundFiles, FoundProject, Pruned, StorageItem } from "@reeve/services/kinds";
import { itemPath } from "./address.ts";
import type { Wire } from "./wire.ts";

/** What a host's container engine has, as its agent says now. */
export interface HostEngineClient {
  /** The Compose projects that no service keeps. */
  projects(scope: Scope, host: string, signal?: AbortSignal): Promise<readonly FoundProject[]>;
  /** One of them with its files, and what adopting it would change. */
  project(
    scope: Scope,
    host: string,
    project: string,
    signal?: AbortSignal,
  ): Promise<FoundFiles & { readonly troubles: readonly string[] }>;
  /** Images, volumes and networks. */
  storage(scope: Scope, host: string, signal?: AbortSignal): Promise<readonly StorageItem[]>;
  /** Removes exactly these, if nobody uses them by then. */
  prune(scope: Scope, host: string, items: readonly Pick<StorageItem, "kind" | "id">[]): Promise<Pruned>;
}

/** Sizes are measured while somebody waits. */
const timeoutMs = 300_000;

export function openHostEngine(wire: Wire): HostEngineClient {
  const path = (scope: Scope, host: string, more: string) =>
    `${itemPath({ name: "Host", plural: "hosts" }, scope, host)}/${more}`;
  const read = async (at: string, signal?: AbortSignal) =>
    (await wire.send({ path: at, signal, timeoutMs })).body;
  const itemsOf = (body: unknown) => (body as { items: readonly never[] }).items;
  return {
    projects: async (scope, host, signal) =>
      itemsOf(await read(path(scope, host, "compose-projects"), signal)),
    project: async (scope, host, project, signal) =>
      (await read(path(scope, host, `compose-projects/${encodeURIComponent(project)}`), signal)) as never,
    storage: async (scope, host, signal) => itemsOf(await read(path(scope, host, "storage"), signal)),
    async prune(scope, host, items) {
      const body = { items: items.map(({ kind, id }) => ({ kind, id })) };
      const call = { method: "POST", path: path(scope, host, "prune"), body, timeoutMs } as const;
      return (await wire.send(call)).body as Pruned;
    },
  };
}
