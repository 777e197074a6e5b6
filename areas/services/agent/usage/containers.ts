import { setImmediate as turn } from "node:timers/promises";
import type { KeptReading } from "@reeve/agent";
import type { Container } from "../engine/container.ts";
import { openContainerGroups } from "./groups.ts";

/** Containers that are read before others have a turn: a read waits for the kernel only, and for nobody else. */
const atOnce = 20;

/** Reads what the containers of services use, by the services' uids. */
export function openContainerUsage(): (
  kept: ReadonlyMap<string, readonly Container[]>,
) => Promise<KeptReading[]> {
  const groups = openContainerGroups();
  return async (kept) => {
    const readings: KeptReading[] = [];
    let read = 0;
    for (const [uid, containers] of kept)
      for (const { id, name, startedAt, state } of containers) {
        if (state !== "running") continue;
        if (++read % atOnce === 0) await turn();
        const counted = groups.read(id);
        if (counted !== undefined)
          readings.push({ uid, name, id: `${id} ${startedAt}`, sinceMs: Date.parse(startedAt), ...counted });
      }
    return readings;
  };
}
