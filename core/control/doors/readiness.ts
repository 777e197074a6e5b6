import { Fault } from "@reeve/model";
import { anyConnected, type Database, listReplicas } from "@reeve/store";
import type { Log } from "../controller.ts";

/**
 * Whether the API is open. An installation that asks for it opens only when all its replicas and one agent are there, however
 * long that takes; from then on it stays open, and what goes away is a matter of health.
 */
export interface Readiness {
  /** Why it is closed; empty when it is open. */
  reasons(): readonly string[];
  /** Refuses, while it is closed. */
  check(): void;
  close(): void;
}

const lookMs = 500;

export function openReadiness(database: Database, replicas: number | undefined, log: Log): Readiness {
  let reasons: readonly string[] = replicas === undefined ? [] : ["the server is starting"];

  async function look(wanted: number): Promise<void> {
    const live = (await listReplicas(database)).filter((one) => one.live).length;
    reasons = [
      ...(live < wanted ? [`waiting for replicas: ${live} of ${wanted} are there`] : []),
      ...((await anyConnected(database)) ? [] : ["waiting for an agent: none is connected"]),
    ];
    if (reasons.length > 0) return;
    clearInterval(timer);
    log.info({ replicas: live }, "all replicas and an agent are there: the API is open");
  }
  const timer =
    replicas === undefined
      ? undefined
      : setInterval(
          () =>
            look(replicas).catch((error: unknown) =>
              log.warn({ err: error }, "cannot look for replicas and agents; trying again"),
            ),
          lookMs,
        ).unref();
  return {
    reasons: () => reasons,
    check() {
      if (reasons.length === 0) return;
      throw new Fault("unavailable", `this installation is not ready: ${reasons.join("; ")}`, {
        next: "wait, or bring them up: signing in and join tokens work already",
        retryAfterMs: 1000,
      });
    },
    close: () => clearInterval(timer),
  };
}
