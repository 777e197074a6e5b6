import type { FastifyInstance } from "fastify";
import type { Context } from "../../context.ts";
import type { Limiter } from "../../guard/limiter.ts";
import type { Metrics } from "../../metrics.ts";
import { refuse } from "../../operations/mutate.ts";
import type { AreaRoute } from "../../route.ts";
import type { Gate } from "../gate.ts";
import type { Readiness } from "../readiness.ts";
import { checkPlurals } from "./address.ts";
import { type AgentFiles, agentFileRoutes } from "./agent-files.ts";
import { restApp } from "./app.ts";
import { areaRoutes } from "./area-routes.ts";
import { auditRoutes } from "./audit-routes.ts";
import { type ConsoleFiles, consoleRoutes } from "./console-files.ts";
import { docsCsp, docsFiles } from "./docs-page.ts";
import { type Health, healthRoutes } from "./health.ts";
import { resourceRoute } from "./resources.ts";
import { type About, serverRoutes } from "./server-routes.ts";

export interface RestDoorOptions {
  readonly context: Context;
  readonly routes: readonly AreaRoute[];
  readonly gate: Gate;
  readonly readiness: Readiness;
  /** Paths that answer also while the API is closed. */
  readonly openPaths: RegExp;
  readonly limiter: Limiter;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly about: About;
  readonly agentFiles: AgentFiles;
  readonly consoleFiles: ConsoleFiles;
  /** Whether this replica serves people and tools; one that does not still tells its health. */
  readonly serves: boolean;
  /** Whether people reach us by https. */
  readonly secure: boolean;
}

/** The REST door, all of it: /api/v1, its description, health, and the console. */
export async function restDoor(options: RestDoorOptions): Promise<FastifyInstance> {
  const { context } = options;
  checkPlurals(context.registry);
  const app = restApp({
    gate: options.gate,
    readiness: options.readiness,
    openPaths: options.openPaths,
    log: context.log,
    metrics: options.metrics,
    secure: options.secure,
    refuse: (arrival, method, route, fault) =>
      refuse(context, arrival, method, { kind: "Route", scope: "", name: route }, fault),
  });
  healthRoutes(app, options.health, options.metrics);
  if (options.serves) publicRoutes(app, options);
  await app.ready();
  return app;
}

function publicRoutes(app: FastifyInstance, options: RestDoorOptions): void {
  const { context, routes, about } = options;
  agentFileRoutes(app, options.agentFiles);
  consoleRoutes(app, options.consoleFiles);
  areaRoutes(app, routes, options.gate, options.limiter, options.secure);
  serverRoutes(app, context, about);
  auditRoutes(app, context, about.version);
  let document: Promise<object> | undefined;
  app.get("/openapi.json", { config: { demand: "public" } }, () => {
    // Loaded when first asked for: most servers are never asked, and it is a sixth of our code.
    document ??= import("./openapi.ts").then(({ openApiDocument }) =>
      openApiDocument({ registry: context.registry, routes, version: about.version }),
    );
    return document;
  });
  documentation(app);
  app.route({
    method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    url: "/api/v1/*",
    config: { demand: "operation", label: "/api/v1/{resource}" },
    handler: (request, reply) => resourceRoute({ context, arrival: request.arrival, request, reply }),
  });
}

function documentation(app: FastifyInstance): void {
  app.get("/docs", { config: { demand: "public" } }, (_request, reply) => reply.redirect("/docs/"));
  for (const [path, { contentType, read, readGzip }] of docsFiles())
    app.get(path, { config: { demand: "public", label: "/docs/*" } }, async (request, reply) => {
      reply
        .header("content-security-policy", docsCsp)
        .header("cache-control", "max-age=3600")
        .header("vary", "accept-encoding")
        .type(contentType);
      if (!/\bgzip\b/.test(String(request.headers["accept-encoding"]))) return reply.send(await read());
      return reply.header("content-encoding", "gzip").send(await readGzip());
    });
}
