import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { JsonObject } from "@reeve/model";
import { AttemptOutcome, type FinishSchema, type Offer } from "@reeve/protocol/agent";
import type { AttemptKey } from "./attempt-key.ts";
import type { Ending } from "./attempts/attempts.ts";
import type { Order } from "./spool/spool.ts";

const outcomes = {
  succeeded: AttemptOutcome.SUCCEEDED,
  failed: AttemptOutcome.FAILED,
  cancelled: AttemptOutcome.CANCELLED,
  lost: AttemptOutcome.LOST,
} as const;

export function finishOf(attempt: AttemptKey, ending: Ending): MessageInitShape<typeof FinishSchema> {
  const { exitCode, startedAt, endedAt } = ending;
  return {
    attempt,
    outcome: outcomes[ending.outcome],
    ...(exitCode === undefined ? {} : { exitCode }),
    signal: ending.signal ?? "",
    why: ending.why,
    outputs: ending.outputs === undefined ? "" : JSON.stringify(ending.outputs),
    ...(startedAt === undefined ? {} : { startedAt: timestampFromDate(startedAt) }),
    endedAt: timestampFromDate(endedAt),
    final: ending.final,
  };
}

export function orderOf(offer: Offer): Order {
  const { run = "", seq = 0, epoch = 0 } = offer.attempt ?? {};
  return {
    run,
    seq,
    epoch,
    executor: offer.executor,
    with: offer.with,
    hasSecrets: offer.hasSecrets,
    atMostOnce: offer.atMostOnce,
    exclusive: offer.exclusive,
    number: offer.attemptNumber,
    scope: offer.scope,
    workflow: offer.workflow,
    step: offer.step,
    ...(offer.finishMs > 0n ? { finishMs: Number(offer.finishMs) } : {}),
    ...(offer.heartbeatMs > 0n ? { heartbeatMs: Number(offer.heartbeatMs) } : {}),
  };
}

/** The end of an attempt whose body never began, or is gone. */
export function unbegun(outcome: Ending["outcome"], why: string): Ending {
  return { outcome, why, endedAt: new Date(), final: false };
}

/** Undefined when it cannot be read. */
export function bodyOf(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return undefined;
  }
}
