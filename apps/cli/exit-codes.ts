import { Fault, type FaultKind } from "@reeve/model";
import { Usage } from "@reeve/sdk/cli";

/** What scripts can rely on; documented in docs/reference/cli.md. */
export const exitCodes = {
  ok: 0,
  /** The answer is no: a difference was found, a wait ran out, something is not allowed. */
  no: 1,
  usage: 2,
  interrupted: 130,
} as const;

const faultCodes = {
  invalid: 3,
  too_large: 3,
  unauthenticated: 4,
  forbidden: 4,
  not_found: 5,
  gone: 5,
  exists: 6,
  conflict: 6,
  precondition: 6,
  exhausted: 7,
  unavailable: 7,
  internal: 8,
} as const satisfies Record<FaultKind, number>;

export function exitCodeOf(error: unknown): number {
  if (error instanceof Usage || isLocalTrouble(error)) return exitCodes.usage;
  return error instanceof Fault ? faultCodes[error.kind] : faultCodes.internal;
}

/** A file that may not be read, a folder that is none: trouble on this machine, not a mistake in the program. */
export function isLocalTrouble(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}
