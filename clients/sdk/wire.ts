import { openSocket } from "#socket";
import { standardTransport } from "#transport";
import { CallFault, faultFromAnswer } from "./call-fault.ts";
import { withProof } from "./proof.ts";
import { type RetryRule, retrying, standardRetry } from "./retry.ts";
import type { Socket } from "./socket.ts";
import { type Arrival, type Fetch, fetchTransport } from "./transport.ts";
import { unreachable } from "./unreachable.ts";

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
  /** Has the person prove anew who they are, where the server wants that first; the call is sent again then. Rejects if they do not. */
  readonly prove?: () => Promise<void>;
}

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: RetryRule;
  /** How long one attempt may take, where that is longer than usual. */
  readonly timeoutMs?: number;
}

export interface Answer {
  readonly status: number;
  header(name: string): string | null;
  readonly body: unknown;
}

/** Requests in, answers or faults out; knows nothing of resources. */
export interface Wire {
  readonly url: string;
  token: string | undefined;
  /** One logical call, retried. */
  send(call: Call): Promise<Answer>;
  /** One attempt whose body the caller reads as it comes. */
  open(call: Call): Promise<Arrival>;
  /** A WebSocket, with the same credential. */
  socket(path: string): Promise<Socket>;
}

const attemptMs = 60_000;

export function openWire(options: WireOptions): Wire {
  const url = readUrl(options.url);
  const transport =
    options.fetch === undefined ? standardTransport(options.ca) : fetchTransport(options.fetch);

  async function open(call: Call): Promise<Arrival> {
    const address = addressOf(url, call);
    const headers = headersOf(call, wire.token, options.userAgent);
    const body = call.body === undefined ? {} : { body: JSON.stringify(call.body) };
    const signal = call.signal === undefined ? {} : { signal: call.signal };
    try {
      return await transport(address, { method: call.method ?? "GET", headers, ...body, ...signal });
    } catch (error) {
      throw call.signal?.aborted && call.signal.reason?.name !== "TimeoutError"
        ? error
        : unreachable(url, error);
    }
  }

  async function attempt(call: Call): Promise<Answer> {
    const timeout = AbortSignal.timeout(call.timeoutMs ?? options.timeoutMs ?? attemptMs);
    const signal = call.signal === undefined ? timeout : AbortSignal.any([call.signal, timeout]);
    const response = await open({ ...call, signal });
    return readAnswer(response, url, call.signal);
  }

  const wire: Wire = {
    url,
    token: options.token,
    open,
    socket: (path) =>
      openSocket(
        url.replace(/^http/, "ws") + path,
        headersOf({ path }, wire.token, options.userAgent),
        options.ca,
      ),
    send: (call) =>
      withProof(options.prove, () =>
        retrying(() => attempt(call), {
          rule: call.retry ?? options.retry ?? standardRetry,
          signal: call.signal,
          onRetry: options.onRetry,
        }),
      ),
  };
  return wire;
}

async function readAnswer(arrival: Arrival, url: string, signal: AbortSignal | undefined): Promise<Answer> {
  const { status } = arrival;
  const text = await readText(arrival).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable(url, error);
  });
  const body = parseJson(text);
  if (!isSuccess(arrival)) throw refusal(arrival, body);
  if (body === undefined && text !== "")
    throw new CallFault("internal", `what ${url} answered is not JSON`, {
      status,
      next: "check that the address is that of a Reeve server",
    });
  return { status, header: arrival.header, body };
}

export async function readText({ chunks }: Arrival): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

export function isSuccess({ status }: Arrival): boolean {
  return status >= 200 && status < 300;
}

/** The fault for an answer that is not a success. A redirect is not followed: it could lead where the caller never meant to go. */
export function refusal({ status, header }: Arrival, body: unknown): CallFault {
  const elsewhere = header("location");
  if (status >= 300 && status < 400 && elsewhere !== null)
    return new CallFault("unavailable", `the server points to ${elsewhere}`, {
      next: "use that address instead",
    });
  return faultFromAnswer(status, header, body);
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

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
