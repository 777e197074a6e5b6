import { Fault, isObject, type Json, readInput } from "@reeve/model";
import { listBuckets, listLooks, listReplicas } from "@reeve/store";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { apply } from "../../operations/apply.ts";
import { describeKind } from "./kind-description.ts";
import { problemOf } from "./problem.ts";
import { checkQuery, type Query } from "./query.ts";
import { askingFor } from "./resources.ts";

export interface About {
  readonly version: string;
  readonly timeline: string;
  readonly replica: { readonly name: string; readonly session: string };
  readonly roles: readonly string[];
  readonly startedAt: string;
  /** The state of the links to other replicas. */
  readonly links: () => readonly { readonly [field: string]: Json }[];
}

const many = z.strictObject({ resources: z.array(z.unknown()).min(1).max(1000) });

/** The list as it came: what is wrong with one of its items is that item's own problem. */
function manifestsIn(body: unknown): readonly unknown[] {
  const items = isObject(body) && Array.isArray(body.resources) ? body.resources : undefined;
  readInput(many, items === undefined ? body : { ...(body as object), resources: items.map(() => null) });
  return items ?? [];
}

/** What is about the server rather than about one kind. */
export function serverRoutes(app: FastifyInstance, context: Context, about: About): void {
  app.get("/api/v1/kinds", { config: { demand: "signed-in" } }, () => ({
    items: context.registry.kinds.map(describeKind),
  }));
  app.get("/api/v1/server", { config: { demand: "signed-in" } }, () => ({
    version: about.version,
    timeline: about.timeline,
    replica: about.replica.name,
    roles: about.roles,
    startedAt: about.startedAt,
  }));

  app.post("/api/v1/apply", { config: { demand: "signed-in" } }, async (request, reply) => {
    checkQuery(request.query as Query, "mutation");
    const resources = manifestsIn(request.body);
    const asking = askingFor({ context, arrival: request.arrival, request, reply });
    const results = resources.map(async (manifest, index) => {
      // Each item of a repeated request is recognised by its place.
      const idempotency = asking.idempotency && {
        ...asking.idempotency,
        key: `${asking.idempotency.key}#${index}`,
      };
      try {
        const { outcome, resource } = await apply(
          context,
          { ...asking, ...(idempotency ? { idempotency } : {}) },
          manifest,
        );
        return { outcome, resource };
      } catch (error) {
        if (!(error instanceof Fault))
          context.log.error(
            { err: error, requestId: request.arrival.origin.requestId },
            "one of many applies failed",
          );
        return { problem: problemOf(error, request.arrival.origin.requestId).body };
      }
    });
    return { results: await Promise.all(results) };
  });

  const topics: Record<string, () => Promise<readonly object[]>> = {
    reconcilers: () => listLooks(context.database, 200),
    leases: () => listBuckets(context.database, about.replica),
    links: async () => {
      const replicas = await listReplicas(context.database);
      const links = about.links();
      return replicas.map(({ certificate: _, ...replica }) => ({
        ...replica,
        link:
          links.find((link) => link.name === replica.name)?.state ??
          (replica.name === about.replica.name ? "this replica" : "none"),
      }));
    },
    lane: async () => [
      { ...context.lane.figures, watchers: context.hub.watchers, position: context.hub.position },
    ],
  };
  app.get(
    "/api/v1/debug/:topic",
    { config: { demand: { permission: "installation:debug" } } },
    async (request) => {
      const { topic } = request.params as { topic: string };
      const read = Object.hasOwn(topics, topic) ? topics[topic] : undefined;
      if (read === undefined)
        throw new Fault("not_found", "there is no such topic", {
          next: `topics: ${Object.keys(topics).join(", ")}`,
        });
      return { items: await read() };
    },
  );
}
