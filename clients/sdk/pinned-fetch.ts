import { Agent, type RequestOptions, request } from "node:https";
import { Readable } from "node:stream";
import type { Fetch } from "./wire.ts";

/** A fetch that trusts these certificates and no others. The global one cannot be told whom to trust per client. */
export function pinnedFetch(ca: string): Fetch {
  const agent = new Agent({ ca, keepAlive: true });
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const options: RequestOptions = {
        agent,
        method: init.method ?? "GET",
        headers: init.headers as Record<string, string>,
        ...(init.signal ? { signal: init.signal } : {}),
      };
      const outgoing = request(String(input), options, (incoming) => {
        const headers = new Headers();
        for (let at = 0; at < incoming.rawHeaders.length; at += 2)
          headers.append(incoming.rawHeaders[at] ?? "", incoming.rawHeaders[at + 1] ?? "");
        const status = incoming.statusCode ?? 500;
        const bodiless = status === 204 || status === 304;
        if (bodiless) incoming.resume();
        resolve(
          new Response(bodiless ? null : (Readable.toWeb(incoming) as ReadableStream), { status, headers }),
        );
      });
      outgoing.on("error", reject);
      outgoing.end(init.body ?? undefined);
    });
}
