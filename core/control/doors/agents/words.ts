import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Fault, isObject, type JsonObject, unstorable } from "@reeve/model";
import {
  type AttemptKey,
  AttemptOutcome,
  type Beat,
  type Finish,
  type Observation,
  Ruling,
} from "@reeve/protocol";
import type { AcceptVerdict, FinishedStep, Held, OfferedStep } from "@reeve/runs";
import type { Sighting } from "@reeve/store";

/** The wire's words and the engine's. What an agent sends is checked here, once. */

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const outputsLimitBytes = 256 * 1024;
const whyLimit = 2000;

export function readUuid(field: string, text: string): string {
  if (uuid.test(text)) return text;
  throw new Fault("invalid", `${field}: not a uuid`);
}

const seenLimitBytes = 256 * 1024;

export function readSighting({ uid, seen }: Observation): Sighting {
  if (Buffer.byteLength(seen) > seenLimitBytes)
    throw new Fault("too_large", `seen: over ${seenLimitBytes} bytes`);
  return { uid: readUuid("uid", uid), seen: readObject("seen", seen) };
}

function readObject(field: string, text: string): JsonObject {
  const value: unknown = (() => {
    try {
      return JSON.parse(text);
    } catch {
      throw new Fault("invalid", `${field}: not JSON`);
    }
  })();
  if (!isObject(value) || unstorable(value) !== undefined)
    throw new Fault("invalid", `${field}: not a JSON object that can be kept`);
  return value as JsonObject;
}

export function readKey(key: AttemptKey | undefined): Held {
  if (key === undefined) throw new Fault("invalid", "attempt: is missing");
  return { run: readUuid("attempt.run", key.run), seq: key.seq, epoch: key.epoch };
}

const outcomes = {
  [AttemptOutcome.SUCCEEDED]: "succeeded",
  [AttemptOutcome.FAILED]: "failed",
  [AttemptOutcome.CANCELLED]: "cancelled",
  [AttemptOutcome.LOST]: "lost",
} as const;

export function readFinish(finish: Finish): FinishedStep {
  if (finish.outcome === AttemptOutcome.UNSPECIFIED) throw new Fault("invalid", "outcome: is missing");
  const { exitCode, startedAt, endedAt } = finish;
  const told: FinishedStep = {
    ...readKey(finish.attempt),
    outcome: outcomes[finish.outcome],
    why: storable(finish.why || (finish.signal && `ended by ${finish.signal}`)),
    final: finish.final,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(startedAt === undefined ? {} : { startedAt: timestampDate(startedAt).toISOString() }),
    ...(endedAt === undefined ? {} : { endedAt: timestampDate(endedAt).toISOString() }),
  };
  if (finish.outputs === "") return told;
  const outputs = readOutputs(finish.outputs);
  if (typeof outputs !== "string") return { ...told, outputs };
  // Refusing the message would make the agent repeat it for ever.
  return { ...told, outcome: "failed", why: outputs, final: true };
}

/** A text says what is wrong with them. */
function readOutputs(text: string): JsonObject | string {
  if (Buffer.byteLength(text) > outputsLimitBytes)
    return `its outputs are over ${outputsLimitBytes / 1024} KiB`;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return "its outputs are not a JSON object";
    const wrong = unstorable(value);
    return wrong === undefined ? (value as JsonObject) : `its outputs cannot be kept: ${wrong.message}`;
  } catch {
    return "its outputs are not JSON";
  }
}

function storable(text: string): string {
  return text.replaceAll("\0", "").slice(0, whyLimit);
}

export function readStatus({ status }: Beat): JsonObject {
  if (status === undefined) return {};
  return {
    load: finite(status.load),
    cpuBusy: finite(status.cpuBusy),
    memoryUsedBytes: Number(status.memoryUsedBytes),
    diskFreeBytes: Number(status.diskFreeBytes),
    diskBytes: Number(status.diskBytes),
    attempts: status.attempts,
    ...(status.troubles.length === 0 ? {} : { troubles: status.troubles.slice(0, 20).map(storable) }),
  };
}

function finite(value: number): number {
  return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0;
}

export function writeOffer(offer: OfferedStep) {
  return {
    attempt: keyOf(offer),
    executor: offer.executor,
    with: JSON.stringify(offer.with),
    hasSecrets: offer.hasSecrets,
    atMostOnce: offer.atMostOnce,
    exclusive: offer.exclusive,
    attemptNumber: offer.attempt,
    scope: offer.scope,
    workflow: offer.workflow,
    step: offer.step,
    finishMs: BigInt(offer.finishMs ?? 0),
    heartbeatMs: BigInt(offer.heartbeatMs ?? 0),
  };
}

export function writeVerdict(verdict: Held & Pick<AcceptVerdict, "ruling" | "with" | "hide" | "why">) {
  return {
    attempt: keyOf(verdict),
    ruling: verdict.ruling === "ok" ? Ruling.OK : Ruling.FENCED,
    with: verdict.with === undefined ? "" : JSON.stringify(verdict.with),
    hide: [...(verdict.hide ?? [])],
    why: verdict.why ?? "",
  };
}

export function keyOf({ run, seq, epoch }: Held) {
  return { run, seq, epoch };
}
