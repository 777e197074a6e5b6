import { newUid } from "@reeve/model";
import { CallFault } from "./call-fault.ts";
import type { Answer, Call } from "./wire.ts";

/** What every change may be told. */
export interface Mutation {
  /** Checked in full and answered as if done; nothing is kept. */
  readonly dryRun?: boolean;
  /** Kept in history and audit. */
  readonly reason?: string;
  /** Refuse when the resource has another revision than this by now. */
  readonly ifMatch?: number;
  /** Refuse when it exists. */
  readonly ifAbsent?: boolean;
  /** Made once per call when not given, so that a retry never does a thing twice. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export type Outcome = "created" | "updated" | "unchanged";

export interface Applied<R> {
  readonly outcome: Outcome;
  readonly resource: R;
}

type Parts = Pick<Call, "path"> & Partial<Pick<Call, "method" | "query" | "body">>;

/** The request of one logical change. The key is made here, outside the retry loop. */
export function mutationCall(parts: Parts, options: Mutation = {}): Call {
  return {
    method: "POST",
    ...parts,
    query: { ...parts.query, dryRun: options.dryRun ? true : undefined, reason: options.reason },
    headers: {
      "idempotency-key": options.idempotencyKey ?? newUid(),
      ...(options.ifMatch === undefined ? {} : { "if-match": `"${options.ifMatch}"` }),
      ...(options.ifAbsent ? { "if-none-match": "*" } : {}),
    },
    signal: options.signal,
  };
}

export function appliedOf<R>(answer: Answer): Applied<R> {
  const told = answer.header("reeve-outcome");
  const outcome = readOutcome(told) ?? (answer.status === 201 ? "created" : "updated");
  return { outcome, resource: answer.body as R };
}

export function readOutcome(value: unknown): Outcome | undefined {
  if (value === null || value === undefined) return undefined;
  if (value === "created" || value === "updated" || value === "unchanged") return value;
  throw new CallFault("internal", `the server told an outcome we do not know: ${String(value)}`);
}
