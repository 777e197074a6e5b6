import type { Scope, UsageMeasure, UsageSeries } from "@reeve/model";
import type { KindRef } from "./address.ts";
import type { Wire } from "./wire.ts";

/** What a host, or a container of a service, uses now. */
export interface UsedNow {
  readonly scope: Scope;
  /** The host, or the service. */
  readonly resource: string;
  readonly host: string;
  /** Of the container; empty for a host. */
  readonly name: string;
  readonly at: string;
  readonly values: Readonly<Record<UsageMeasure, number | null>>;
}

export interface UsageOverTime {
  readonly from: string;
  readonly stepMs: number;
  readonly items: readonly (UsageSeries & { readonly host: string })[];
}

/** What hosts and containers use. Whoever may read a resource may see what it uses. */
export interface UsageClient {
  /** Now, of all that there are of a kind in a scope. */
  now(kind: KindRef, scope: Scope, query?: { readonly deep?: boolean }): Promise<UsedNow[]>;
  /** One of them, over time: `range` and `step` as 15s, 5m, 1h, 30d. */
  over(
    kind: KindRef,
    scope: Scope,
    name: string,
    query: { readonly range: string; readonly step?: string },
    signal?: AbortSignal,
  ): Promise<UsageOverTime>;
}

export function openUsage(wire: Wire): UsageClient {
  return {
    async now({ plural }, scope, { deep } = {}) {
      const all: UsedNow[] = [];
      let from: string | undefined;
      do {
        const query = { scope, deep, continue: from };
        const { body } = await wire.send({ path: `/api/v1/usage/${plural}`, query });
        const { items, continue: next } = body as { items: UsedNow[]; continue?: string };
        all.push(...items);
        from = next;
      } while (from !== undefined);
      return all;
    },
    async over({ plural }, scope, name, query, signal) {
      const path = `/api/v1/usage/${plural}/${encodeURIComponent(name)}`;
      const { body } = await wire.send({ path, query: { scope, ...query }, signal });
      return body as UsageOverTime;
    },
  };
}
