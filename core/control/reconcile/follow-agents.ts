import { type Database, wakeHosts } from "@reeve/store";
import type { Log } from "../controller.ts";

const sweepMs = 1000;

/** Hosts show what is known of their agents: those whose agents have changed become due. Returns how to stop. */
export function followAgents(database: Database, wake: () => void, log: Log): () => void {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    try {
      if (await wakeHosts(database)) wake();
    } catch (error) {
      log.warn({ err: error }, "cannot look for agents that changed; trying again");
    }
    busy = false;
  }, sweepMs).unref();
  return () => clearInterval(timer);
}
