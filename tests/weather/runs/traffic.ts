import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Answer, openApi } from "../../harness/api.ts";
import type { Ledger } from "../../harness/ledger.ts";
import { type Random, seeded } from "../../harness/random.ts";
import { uptime } from "./ledger-lines.ts";
import { type StormWorkflow, stormWorkflows } from "./workflows.ts";

/** What was acknowledged to us: a trigger with the run it began, or a cancel. */
export interface Acknowledged {
  readonly does: "trigger" | "cancel";
  readonly key: string;
  readonly run: string;
  readonly workflow: StormWorkflow;
  /** When the answer was there, by the clock of `uptime`. */
  readonly at: number;
}

export interface TrafficOptions {
  readonly urls: readonly string[];
  readonly token: string;
  readonly ledger: Ledger<Acknowledged>;
  readonly seed: number;
}

export interface Traffic {
  readonly refusals: string[];
  /** Triggers no more; resolves when all that was begun was acknowledged. */
  stop(): Promise<void>;
  /** The test is over, however it went: nobody waits for an answer any more. */
  abandon(): void;
}

/**
 * So many people who each begin a run, perhaps cancel it, wait until it has ended and begin another. A request without an answer is
 * sent again with its key, to whatever replica is next, until it is acknowledged.
 */
export function startTraffic(people: number, options: TrafficOptions): Traffic {
  const { urls, token, ledger, seed } = options;
  const refusals: string[] = [];
  let stopped = false;
  let abandoned = false;

  async function insist(
    random: Random,
    path: string,
    body: object,
    fine: readonly number[],
  ): Promise<Answer> {
    const key = randomUUID();
    for (;;) {
      const api = openApi(random.pick(urls), token);
      const headers = { "idempotency-key": key };
      const signal = AbortSignal.timeout(5000);
      const answer = await api.call("POST", path, { body, headers, signal }).catch(() => undefined);
      if (abandoned) throw new Error("nobody waits for an answer any more");
      if (answer !== undefined && fine.includes(answer.status)) return { ...answer, text: key };
      if (answer !== undefined && answer.status < 500) {
        refusals.push(`${path}: ${answer.status} ${answer.text}`);
        return { ...answer, text: key };
      }
      await sleep(200);
    }
  }

  async function person(number: number): Promise<void> {
    const random = seeded(seed + number);
    while (!stopped) {
      const workflow = stormWorkflows[number % stormWorkflows.length] as StormWorkflow;
      const path = `/api/v1/organizations/acme/workflows/${workflow}/actions/trigger`;
      const begun = await insist(random, path, {}, [200, 201]);
      const run = begun.body?.run ?? begun.body?.output?.run;
      if (run === undefined) return;
      ledger.write({ does: "trigger", key: begun.text, run, workflow, at: uptime() });
      if (random.next() < 0.15 || workflow === "stubborn") {
        await sleep(random.between(0, 4000));
        // It may have ended meanwhile: then there is nothing to cancel.
        const cancelled = await insist(random, `/api/v1/runs/${run}/cancel`, {}, [200, 409, 412]);
        if (cancelled.status === 200)
          ledger.write({ does: "cancel", key: cancelled.text, run, workflow, at: uptime() });
      }
      while (!stopped && !(await hasEnded(random, run))) await sleep(1000);
    }
  }

  async function hasEnded(random: Random, run: string): Promise<boolean> {
    const api = openApi(random.pick(urls), token);
    const signal = AbortSignal.timeout(5000);
    const answer = await api.call("GET", `/api/v1/runs/${run}`, { signal }).catch(() => undefined);
    return answer?.status === 200 && answer.body.endedAt !== undefined;
  }

  const all = Promise.all(Array.from({ length: people }, (_, number) => person(number)));
  all.catch(() => {});
  return {
    refusals,
    async stop() {
      stopped = true;
      await all;
    },
    abandon() {
      stopped = true;
      abandoned = true;
    },
  };
}
