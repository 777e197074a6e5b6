/**
 * A fault is a failure that reaches the caller. The set of kinds is closed: each door has one table that
 * turns a kind into its own words (a status, a Connect code, an exit code).
 */
export const faultKinds = [
  "invalid",
  "unauthenticated",
  "forbidden",
  "not_found",
  "exists",
  "conflict",
  "precondition",
  "gone",
  "too_large",
  "exhausted",
  "unavailable",
  "internal",
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** One wrong field: a JSON pointer into what the caller sent, and what is wrong with it. */
export interface FieldError {
  readonly pointer: string;
  readonly message: string;
}

export interface FaultDetail {
  /** What the caller should do now. */
  readonly next?: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

export class Fault extends Error {
  readonly kind: FaultKind;
  readonly next: string | undefined;
  readonly errors: readonly FieldError[];
  readonly retryAfterMs: number | undefined;

  constructor(kind: FaultKind, message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = "Fault";
    this.kind = kind;
    this.next = detail.next;
    this.errors = detail.errors ?? [];
    this.retryAfterMs = detail.retryAfterMs;
  }
}

/** A single wrong field, the most common fault of all. */
export function invalidField(pointer: string, message: string, next?: string): Fault {
  return new Fault("invalid", `${pointer || "/"}: ${message}`, {
    errors: [{ pointer, message }],
    ...(next === undefined ? {} : { next }),
  });
}
