import { Readable } from "node:stream";
import { readInput } from "@reeve/model";
import type { FastifyInstance } from "fastify";
import type { Limiter } from "../../guard/limiter.ts";
import type { AreaRoute, Cookie } from "../../route.ts";
import { type Gate, readCookie } from "../gate.ts";
import { idempotencyOf } from "./query.ts";
import { beginEvents, eventOut } from "./sse.ts";

/** The routes that areas add, such as signing in. */
export function areaRoutes(
  app: FastifyInstance,
  routes: readonly AreaRoute[],
  gate: Gate,
  limiter: Limiter,
  secure: boolean,
): void {
  const attemptCookie = `${gate.cookieName}-attempt`;
  const cookieLine = (name: string, { value, maxAgeSeconds }: Cookie) =>
    `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure ? "; Secure" : ""}`;
  for (const route of routes)
    app.route({
      method: route.method,
      url: `/api/v1${route.path}`,
      // Strangers are refused before anything they sent is looked at; the operation judges all others.
      config: {
        demand: route.demand === "operation" ? "signed-in" : route.demand,
        watches: route.streams === "always",
      },
      async handler(request, reply) {
        const { arrival } = request;
        if (route.attemptsPerMinute !== undefined)
          limiter.count(route.path, arrival.origin.address, route.attemptsPerMinute);
        const body = route.body === undefined ? undefined : readInput(route.body, request.body ?? {});
        const query =
          route.query === undefined ? undefined : readInput(route.query, { ...(request.query as object) });
        const {
          body: answer,
          cookie,
          attempt,
          redirect,
          events,
          bytes,
        } = await route.run({
          caller: arrival.caller,
          carried: arrival.credential?.carried,
          credential: arrival.credential,
          origin: arrival.origin,
          body,
          query,
          params: request.params as Record<string, string>,
          raw: { body: request.rawText ?? "", headers: singleHeaders(request.headers) },
          userAgent: String(request.headers["user-agent"] ?? ""),
          lastEventId: lastEventId(request.headers["last-event-id"]),
          idempotency: idempotencyOf({
            method: request.method,
            url: request.url,
            rawBody: request.rawText ?? "",
            headers: request.headers,
          }),
          attempt: readCookie(request.headers, attemptCookie),
        });
        const cookies = [
          ...(cookie === undefined ? [] : [cookieLine(gate.cookieName, cookie)]),
          ...(attempt === undefined ? [] : [cookieLine(attemptCookie, attempt)]),
        ];
        if (cookies.length > 0) reply.header("set-cookie", cookies);
        if (events !== undefined) {
          beginEvents(reply, arrival.origin.requestId);
          const leave = events(eventOut(reply.raw, arrival.origin.requestId));
          if (reply.raw.destroyed) leave();
          else reply.raw.on("close", leave);
          return;
        }
        reply.header("cache-control", "no-store");
        if (redirect !== undefined) return reply.redirect(redirect);
        if (bytes !== undefined) {
          reply.type(bytes.type);
          if (bytes.name !== undefined)
            reply.header("content-disposition", `attachment; filename="${bytes.name}"`);
          return reply.send(Readable.from(bytes.chunks, { objectMode: false }));
        }
        return reply.code(route.status ?? 200).send(answer ?? {});
      },
    });
}

/** Of a header that came twice, nobody knows which one counts. */
function singleHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const single = Object.entries(headers).filter((one): one is [string, string] => typeof one[1] === "string");
  return Object.fromEntries(single);
}

function lastEventId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && header !== "" ? header.slice(0, 200) : undefined;
}
