import { Fault, type Permission } from "@reeve/model";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Log } from "../../controller.ts";
import { forbidden, unauthenticated } from "../../guard/authorise.ts";
import { sessionless, staleness } from "../../guard/fresh.ts";
import { narrowness } from "../../guard/own.ts";
import type { Metrics } from "../../metrics.ts";
import type { Demand } from "../../route.ts";
import type { Arrival, Gate, Visit } from "../gate.ts";
import type { Readiness } from "../readiness.ts";
import { waitHeaders } from "../wait-headers.ts";
import { readJsonBodies, Unreadable } from "./body.ts";
import { problemOf } from "./problem.ts";
import { isJourney, problemPage, problemPagePolicy } from "./problem-page.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    demand?: Demand;
    /** The name of the route in metrics, where an address would be too many. */
    label?: string;
    /** Answers also when nobody can be asked who the caller is, and counts against no limit. */
    probe?: boolean;
    /** Answers with a stream, whatever is asked. */
    watches?: boolean;
  }
  interface FastifyRequest {
    arrival: Arrival;
  }
}

const bodyLimitBytes = 4 * 1024 * 1024;

/** Nothing may be loaded from elsewhere, framed, or guessed. Pages that need more say so themselves. */
const securityHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

export interface RestAppOptions {
  readonly gate: Gate;
  readonly readiness: Pick<Readiness, "check">;
  /** Paths that answer also while the API is closed, beside what anybody may ask. */
  readonly openPaths: RegExp;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Whether people reach us by https. */
  readonly secure: boolean;
  /** Records that a caller was turned away from a route, and throws the fault. */
  readonly refuse: (arrival: Arrival, method: string, route: string, fault: Fault) => Promise<never>;
}

/** The frame of the REST door: who calls, what a route demands, how an error looks. Routes are added by the caller. */
export function restApp(options: RestAppOptions): FastifyInstance {
  const { gate, readiness, log, metrics, secure, refuse } = options;
  const isOpen = ({ routeOptions: { config }, url }: FastifyRequest) =>
    config.demand === "public" || options.openPaths.test(url.split("?")[0] ?? "");
  const app = fastify({
    logger: false,
    bodyLimit: bodyLimitBytes,
    routerOptions: { maxParamLength: 2000, querystringParser: parseQuery },
    forceCloseConnections: true,
    frameworkErrors: (error, request, reply) => void fail(error, request, reply, log),
  });
  readJsonBodies(app);
  app.decorateRequest("arrival", null as never);

  // A route that nobody thought about must not answer by accident.
  app.addHook("onRoute", (route) => {
    if (route.config?.demand === undefined)
      throw new Error(
        `the route ${route.method} ${route.url} declares no permission: the server does not start`,
      );
  });

  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders);
    if (secure) reply.header("strict-transport-security", "max-age=31536000");
    request.arrival = {
      caller: undefined,
      credential: undefined,
      origin: { requestId: String(request.id), address: "" },
      loopback: false,
    };
    if (request.routeOptions.config.probe) return;
    if (!isOpen(request)) readiness.check();
    request.arrival = await gate.arrive(request.raw, { use: useOf(request), answer: reply.raw });
    reply.header("x-request-id", request.arrival.origin.requestId);
    const fault = unmet(request.routeOptions.config.demand ?? "public", request.arrival);
    if (fault !== undefined)
      await refuse(request.arrival, request.method, request.routeOptions.url ?? "", fault);
  });

  app.addHook("onResponse", (request, reply, done) => {
    metrics.answered(
      request.method,
      request.routeOptions.config.label ?? request.routeOptions.url ?? "unknown",
      reply.statusCode,
      reply.elapsedTime,
    );
    done();
  });

  app.setErrorHandler((error, request, reply) => fail(error, request, reply, log));
  app.setNotFoundHandler({ preHandler: async () => {} }, (request, reply) =>
    fail(
      new Fault("not_found", `there is nothing at ${request.url.slice(0, 200)}`, {
        next: "the API is under /api/v1, its description at /docs",
      }),
      request,
      reply,
      log,
    ),
  );
  return app;
}

function useOf({ method, query, routeOptions }: FastifyRequest): Visit["use"] {
  if (routeOptions.config.watches) return "watch";
  if (method !== "GET" && method !== "HEAD") return "change";
  const { watch, follow } = query as { watch?: unknown; follow?: unknown };
  return [watch, follow].some((flag) => flag === "true" || flag === "") ? "watch" : "read";
}

/** The fault to refuse with, when the caller does not meet what the route demands. */
function unmet(demand: Demand, { caller, loopback }: Arrival): Fault | undefined {
  if (demand === "public" || demand === "operation") return undefined;
  if (typeof demand === "object" && "loopbackOr" in demand && loopback) return undefined;
  if (caller === undefined) return unauthenticated();
  if (demand === "signed-in") return undefined;
  if (demand === "own") return narrowness(caller);
  if (demand === "session") return sessionless(caller);
  if (demand === "fresh") return staleness(caller);
  const permission: Permission = "loopbackOr" in demand ? demand.loopbackOr : demand.permission;
  const held = caller.grants.some((grant) => grant.scope === "" && grant.role.allows.has(permission));
  if (!held) return forbidden(permission, "");
  return "fresh" in demand && demand.fresh ? staleness(caller) : undefined;
}

function fail(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): FastifyReply {
  const fault = fromFastify(error) ?? error;
  const requestId = request.arrival?.origin.requestId ?? String(request.id);
  const { status, body } = problemOf(fault, requestId);
  // An outage is told by whoever notices it, once, and not by every request that it fails.
  if (status === 500)
    log.error(
      { err: error, requestId, method: request.method, url: request.url.split("?")[0] },
      "a request failed",
    );
  if (fault instanceof Fault) reply.headers(waitHeaders(fault));
  if (status === 401) reply.header("www-authenticate", "Bearer");
  const shown = fault instanceof Unreadable ? 400 : status;
  if (isJourney(request.headers))
    return reply
      .code(shown)
      .header("content-security-policy", problemPagePolicy)
      .type("text/html; charset=utf-8")
      .send(problemPage({ ...body, status: shown }));
  return reply
    .code(shown)
    .type("application/problem+json")
    .send({ ...body, status: shown });
}

/** Fastify's own refusals, in our words. */
function fromFastify(error: unknown): Fault | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new Fault("too_large", `the body is over ${bodyLimitBytes} bytes`, { next: "send less at once" });
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new Unreadable("the body is not JSON", "send it as `Content-Type: application/json`");
  if (code === "FST_ERR_CTP_INVALID_CONTENT_LENGTH")
    return new Unreadable("the body is not as long as its Content-Length says");
  if (code === "ECONNRESET") return new Unreadable("the connection ended before the request did");
  if (code === "FST_ERR_BAD_URL")
    return new Unreadable("the address is not valid", "check the percent-encoding");
  return undefined;
}

/** A parameter given twice is a list, which every reader of ours refuses by name. */
function parseQuery(text: string): Record<string, unknown> {
  // Without a prototype, or a parameter called __proto__ would be lost instead of refused.
  const query: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text))
    query[name] = Object.hasOwn(query, name) ? [query[name], value] : value;
  return query;
}
