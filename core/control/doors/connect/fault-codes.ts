import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { Fault, type FaultKind } from "@reeve/model";
import { ProblemSchema } from "@reeve/protocol";
import { waitHeaders } from "../wait-headers.ts";

/** Two kinds may share a code: the `Problem` that rides along tells them apart. */
const codes = {
  invalid: Code.InvalidArgument,
  unauthenticated: Code.Unauthenticated,
  forbidden: Code.PermissionDenied,
  not_found: Code.NotFound,
  exists: Code.AlreadyExists,
  conflict: Code.Aborted,
  precondition: Code.FailedPrecondition,
  gone: Code.OutOfRange,
  too_large: Code.ResourceExhausted,
  exhausted: Code.ResourceExhausted,
  unavailable: Code.Unavailable,
  internal: Code.Internal,
} as const satisfies Record<FaultKind, Code>;

/** Whatever is not a Fault is our mistake and tells the caller nothing but where to look. */
export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return new Fault("internal", "something went wrong on our side", {
    next: "try again; the log has the detail under this request id",
    cause: error,
  });
}

export function problemOf(fault: Fault, requestId: string): MessageInitShape<typeof ProblemSchema> {
  return {
    kind: fault.kind,
    detail: fault.message,
    next: fault.next ?? "",
    errors: fault.errors.map(({ pointer, message }) => ({ pointer, message })),
    requestId,
    retryAfterMs: Math.ceil(fault.retryAfterMs ?? 0),
  };
}

export function connectErrorOf(fault: Fault, requestId: string): ConnectError {
  const headers = waitHeaders(fault);
  if (requestId !== "") headers["x-request-id"] = requestId;
  const detail = { desc: ProblemSchema, value: problemOf(fault, requestId) };
  return new ConnectError(fault.message, codes[fault.kind], headers, [detail]);
}
