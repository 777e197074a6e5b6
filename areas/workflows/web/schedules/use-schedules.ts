import { client, type Loaded, useLoaded, useRuns } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import type { ListedSchedule } from "@reeve/sdk";

/**
 * What the schedules of a scope have fired last. There is no watch for it, so it is read again whenever it can have changed: when a
 * scheduled run has begun, or a definition was written (`revision`).
 */
export function useSchedules(scope: Scope, revision: number): Loaded<readonly ListedSchedule[]> {
  const newest = useRuns({ ...(scope === "" ? {} : { scope }), cause: "schedule" }, 1);
  const key = [scope, revision, newest.state, newest.rows[0]?.id].join(" ");
  return useLoaded(key, () => client.schedules.list(scope));
}
