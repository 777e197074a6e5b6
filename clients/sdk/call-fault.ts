import { Fault, type FaultDetail, type FaultKind, faultKinds, isObject } from "@reeve/model";

interface CallDetail extends FaultDetail {
  readonly status?: number;
  readonly requestId?: string;
  readonly retryable?: boolean;
}

/** A call that failed: the server's own fault, plus what only the caller's side knows. */
export class CallFault extends Fault {
  /** The HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** Whether the same call may succeed in a moment. */
  readonly retryable: boolean;

  constructor(kind: FaultKind, message: string, detail: CallDetail = {}) {
    super(kind, message, detail);
    this.name = "CallFault";
    this.status = detail.status;
    this.requestId = detail.requestId;
    this.retryable = detail.retryable ?? false;
  }
}

const retryableStatus: readonly number[] = [429, 502, 503, 504];

/** Reads Problem Details; what is not a problem (a proxy's HTML page) becomes a fault by its status alone. */
export function faultFromAnswer(
  status: number,
  header: (name: string) => string | null,
  body: unknown,
): CallFault {
  const problem = isObject(body) ? body : {};
  const retryAfterMs = readRetryAfter(header("retry-after"));
  const requestId = text(problem.requestId) ?? header("x-request-id") ?? undefined;
  const next = text(problem.next);
  return new CallFault(
    readKind(problem.kind) ?? kindOfStatus(status),
    text(problem.detail) ?? text(problem.title) ?? `the server answered ${status}`,
    {
      status,
      errors: readErrors(problem.errors),
      retryable: retryableStatus.includes(status),
      ...(next === undefined ? {} : { next }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(requestId === undefined ? {} : { requestId }),
    },
  );
}

/** A problem inside a bulk answer or at the end of a watch: the same words, without an HTTP answer of its own. */
export function faultFromProblem(problem: unknown): CallFault {
  const status = isObject(problem) && typeof problem.status === "number" ? problem.status : 500;
  return faultFromAnswer(status, () => null, problem);
}

/** Retry-After is seconds or a date. */
function readRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined;
  const seconds = Number(value);
  if (value.trim() !== "" && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

const statusKinds: Readonly<Record<number, FaultKind>> = {
  400: "invalid",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "gone",
  412: "precondition",
  413: "too_large",
  422: "invalid",
  429: "exhausted",
  502: "unavailable",
  503: "unavailable",
  504: "unavailable",
};

function kindOfStatus(status: number): FaultKind {
  return statusKinds[status] ?? "internal";
}

function readKind(value: unknown): FaultKind | undefined {
  return faultKinds.find((kind) => kind === value);
}

function readErrors(value: unknown): { pointer: string; message: string }[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isObject)
    .map((one) => ({ pointer: text(one.pointer) ?? "", message: text(one.message) ?? "" }));
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
