import { Fault, type FaultKind, type Json } from "@reeve/model";

const statuses = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  exists: 409,
  conflict: 409,
  precondition: 412,
  gone: 410,
  too_large: 413,
  exhausted: 429,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<FaultKind, number>;

/** Problem Details (RFC 9457) of a fault. Whatever is not a Fault is our mistake and tells the caller nothing. */
export function problemOf(
  error: unknown,
  requestId: string,
): { status: number; body: { [key: string]: Json } } {
  const fault =
    error instanceof Fault
      ? error
      : new Fault("internal", "something went wrong on our side", {
          next: "try again; the log has the detail under this requestId",
        });
  const status = statuses[fault.kind];
  return {
    status,
    body: {
      type: "about:blank",
      title: fault.kind.replaceAll("_", " "),
      status,
      kind: fault.kind,
      detail: fault.message,
      ...(fault.next === undefined ? {} : { next: fault.next }),
      ...(fault.errors.length === 0
        ? {}
        : { errors: fault.errors.map(({ pointer, message }) => ({ pointer, message })) }),
      requestId,
    },
  };
}
