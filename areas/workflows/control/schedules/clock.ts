import { startBackground, type Tools } from "@reeve/control";
import { untilNextTick } from "../../store/index.ts";
import { fireDue } from "./fire.ts";

/** Also when nothing is due for long: somebody may have written a schedule meanwhile. */
const sweepMs = 1000;
/** Another replica is just dealing with what is due. */
const heldMs = 20;

/** Fires schedules for as long as the replica works: sleeps until the next tick, at most a second. */
export function startClock(tools: Pick<Tools, "database" | "runs" | "lane" | "log">): () => Promise<void> {
  return startBackground(tools.log, "schedules", async () => {
    const ms = await untilNextTick(tools.database);
    if (ms === undefined || ms > 0) return Math.ceil(Math.min(ms ?? sweepMs, sweepMs));
    return (await fireDue(tools)) > 0 ? 0 : heldMs;
  });
}
