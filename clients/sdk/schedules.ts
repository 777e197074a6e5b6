import type { Scope } from "@reeve/model";
import { itemPath } from "./address.ts";
import { type Mutation, mutationCall } from "./mutation.ts";
import type { Definition } from "./runs.ts";
import type { Wire } from "./wire.ts";

export interface ListedSchedule {
  readonly scope: Scope;
  readonly workflow: string;
  readonly name: string;
  readonly cron: string;
  readonly timezone: string;
  readonly catchUp: string;
  readonly paused: boolean;
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  readonly lastRun: string | null;
  readonly trouble: string;
}

export interface BackfillRequest {
  readonly schedule: string;
  readonly from: string;
  readonly until: string;
  readonly most?: number;
  readonly newestFirst?: boolean;
  readonly again?: boolean;
  readonly dryRun?: boolean;
}

export interface Backfill {
  readonly backfill?: string;
  readonly runs: readonly { readonly tick: string; readonly run?: string }[];
  readonly known: number;
}

export interface BackfillProgress extends Omit<BackfillRequest, "most"> {
  readonly id: string;
  readonly workflow: string;
  readonly ticks: number;
  readonly states: Readonly<Record<string, number>>;
}

/** When workflows run by themselves, and what is made up for. */
export interface SchedulesClient {
  /** Of a scope and all below it. */
  list(scope?: Scope): Promise<readonly ListedSchedule[]>;
  backfill(workflow: Definition, request: BackfillRequest, options?: Mutation): Promise<Backfill>;
  progress(backfill: string): Promise<BackfillProgress>;
}

export function openSchedules(wire: Wire): SchedulesClient {
  return {
    list: async (scope) =>
      ((await wire.send({ path: "/api/v1/schedules", query: { scope } })).body as { items: ListedSchedule[] })
        .items,
    async backfill({ kind, scope, name }, body, options) {
      const path = `${itemPath(kind, scope, name)}/actions/backfill`;
      return (await wire.send(mutationCall({ path, body }, options))).body as Backfill;
    },
    progress: async (id) =>
      (await wire.send({ path: `/api/v1/backfills/${encodeURIComponent(id)}` })).body as BackfillProgress,
  };
}
