import { type IncomingMessage, request as plainRequest } from "node:http";
import { request as secureRequest } from "node:https";
import { pinAddress } from "./http-address.ts";

export interface HttpAsked {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly allowPrivate: boolean;
}

export interface HttpAnswered {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
  /** The body is longer than this. */
  readonly cut: boolean;
  readonly url: URL;
}

const redirectsMost = 5;
const quietMs = 60_000;

/** Asks, follows redirects, and looks at the address of each of them before it goes there. */
export async function askHttp(
  asked: HttpAsked,
  bodyMost: number,
  signal: AbortSignal,
): Promise<HttpAnswered> {
  let next = asked;
  for (let turn = 0; turn <= redirectsMost; turn++) {
    const answer = await askOnce(next, bodyMost, signal);
    const { location } = answer.headers;
    if (![301, 302, 303, 307, 308].includes(answer.status) || location === undefined) return answer;
    next = redirected(next, new URL(location, next.url), answer.status);
  }
  throw new Error(`more than ${redirectsMost} redirects`);
}

/** As browsers do: 303 becomes GET, and so do 301 and 302 of a POST; credentials stay with their origin. */
function redirected(asked: HttpAsked, url: URL, status: number): HttpAsked {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(`redirected to ${url.protocol}`);
  if (asked.url.protocol === "https:" && url.protocol === "http:")
    throw new Error("redirected from https to http, where anybody could listen");
  const turns = status === 303 || (status < 303 && asked.method === "POST");
  const headers =
    url.origin === asked.url.origin
      ? asked.headers
      : Object.fromEntries(
          Object.entries(asked.headers).filter(
            ([name]) => !/^(authorization|cookie|proxy-.*|x-.*)$/i.test(name),
          ),
        );
  return { ...asked, url, headers, ...(turns ? { method: "GET", body: undefined } : {}) };
}

async function askOnce(asked: HttpAsked, bodyMost: number, signal: AbortSignal): Promise<HttpAnswered> {
  const pinned = await pinAddress(asked.url.hostname, asked.allowPrivate);
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswered>();
  const make = asked.url.protocol === "https:" ? secureRequest : plainRequest;
  const request = make(asked.url, {
    method: asked.method,
    headers: { "user-agent": "reeve", ...asked.headers },
    signal,
    agent: false,
    timeout: quietMs,
    lookup: (_name, options, found) =>
      options.all ? found(null, [pinned]) : found(null, pinned.address, pinned.family),
  });
  request.on("error", reject);
  request.on("timeout", () => request.destroy(new Error(`nothing was heard for ${quietMs / 1000} s`)));
  request.on("response", (response) => {
    const parts: Buffer[] = [];
    let length = 0;
    const finish = (cut: boolean) =>
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: Buffer.concat(parts).subarray(0, bodyMost),
        cut,
        url: asked.url,
      });
    response.on("data", (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length <= bodyMost) return;
      finish(true);
      response.destroy();
    });
    response.on("end", () => finish(false));
    response.on("error", reject);
  });
  request.end(asked.body);
  return promise;
}
