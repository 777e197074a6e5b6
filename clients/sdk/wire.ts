import { CallFault, faultFromAnswer } from "./call-fault.ts";
import { type RetryRule, retrying, standardRetry } from "./retry.ts";
import { unreachable } from "./unreachable.ts";

export type Fetch = typeof globalThis.fetch;

export interface WireOptions {
  readonly url: string;
  readonly token?: string;
  readonly fetch?: Fetch;
  /** PEM certificates to trust instead of the machine's own list (not in browsers). */
  readonly ca?: string;
  readonly retry?: RetryRule;
  /** How long one attempt may take. */
  readonly timeoutMs?: number;
  readonly userAgent?: string;
  readonly onRetry?: (fault: CallFault, waitMs: number) => void;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: RetryRule;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Requests in, answers or faults out; knows nothing of resources. */
export interface Wire {
  readonly url: string;
  token: string | undefined;
  /** One logical call, retried. */
  send(call: Call): Promise<Answer>;
  /** One attempt whose body the caller reads as it comes. */
  open(call: Call): Promise<Response>;
}

const attemptMs = 60_000;

export function openWire(options: WireOptions): Wire {
  const url = readUrl(options.url);
  const doFetch = chooseFetch(options);

  async function open(call: Call): Promise<Response> {
    const address = addressOf(url, call);
    const headers = headersOf(call, wire.token, options.userAgent);
    const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
    const signal = call.signal === undefined ? {} : { signal: call.signal };
    try {
      // A followed redirect could carry the request somewhere the caller never named.
      return await doFetch(address, {
        method: call.method ?? "GET",
        headers,
        ...body,
        ...signal,
        redirect: "manual",
      });
    } catch (error) {
      throw call.signal?.aborted && call.signal.reason?.name !== "TimeoutError"
        ? error
        : unreachable(url, error);
    }
  }

  async function attempt(call: Call): Promise<Answer> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? attemptMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    const response = await open({ ...call, signal });
    return readAnswer(response, url, call.signal);
  }

  const wire: Wire = {
    url,
    token: options.token,
    open,
    send: (call) =>
      retrying(() => attempt(call), {
        rule: call.retry ?? options.retry ?? standardRetry,
        signal: call.signal,
        onRetry: options.onRetry,
      }),
  };
  return wire;
}

async function readAnswer(response: Response, url: string, signal: AbortSignal | undefined): Promise<Answer> {
  const text = await response.text().catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable(url, error);
  });
  const body = parseJson(text);
  if (!response.ok) throw refusal(response, body);
  if (body === undefined && text !== "")
    throw new CallFault("internal", `what ${url} answered is not JSON`, {
      status: response.status,
      next: "check that the address is that of a Reeve server",
    });
  return { status: response.status, headers: response.headers, body };
}

/** The fault for an answer that is not a success. */
export function refusal(response: Response, body: unknown): CallFault {
  const elsewhere = response.headers.get("location");
  if (response.status >= 300 && response.status < 400 && elsewhere !== null)
    return new CallFault("unavailable", `the server points to ${elsewhere}`, {
      next: "use that address instead",
    });
  return faultFromAnswer(response.status, response.headers, body);
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === "http:" || url.protocol === "https:"))
    return (url.origin + url.pathname).replace(/\/+$/, "");
  throw new CallFault("invalid", `${JSON.stringify(text)} is not the address of a server`, {
    next: "write it as https://host or https://host:port",
  });
}

function addressOf(url: string, call: Call): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(call.query ?? {}))
    if (value !== undefined) query.set(key, String(value));
  return query.size === 0 ? url + call.path : `${url}${call.path}?${query}`;
}

function headersOf(
  call: Call,
  token: string | undefined,
  userAgent: string | undefined,
): Record<string, string> {
  return {
    accept: "application/json",
    ...(call.body === undefined ? {} : { "content-type": "application/json" }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(userAgent === undefined ? {} : { "user-agent": userAgent }),
    ...call.headers,
  };
}

/** Node's TLS is loaded only when certificates are pinned, so that browsers never meet it. */
function chooseFetch(options: WireOptions): Fetch {
  if (options.fetch !== undefined) return options.fetch;
  const { ca } = options;
  if (ca === undefined) return globalThis.fetch.bind(globalThis);
  const pinned = import("./pinned-fetch.ts").then((module) => module.pinnedFetch(ca));
  pinned.catch(() => undefined);
  return async (input, init) => (await pinned)(input, init);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
