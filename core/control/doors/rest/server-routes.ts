import { Fault, isObject, type Json, readInput } from "@reeve/model";
import { listBuckets, listLooks, listReplicas } from "@reeve/store";
import { heldByAgent, readAgents } from "@reeve/store/runs";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { applyMany } from "../../operations/apply-many.ts";
import { debugTopics } from "./debug-topics.ts";
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
    const { requestId } = request.arrival.origin;
    const results = await applyMany(context, asking, resources);
    return {
      results: results.map((applied) => {
        if ("written" in applied)
          return { outcome: applied.written.outcome, resource: applied.written.resource };
        const { error } = applied;
        if (!(error instanceof Fault))
          context.log.error({ err: error, requestId }, "one of many applies failed");
        return { problem: problemOf(error, requestId).body };
      }),
    };
  });

  const topics: Record<(typeof debugTopics)[number], () => Promise<readonly object[]>> = {
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
    runs: async () => [context.runs.figures],
    agents: async () => {
      const [agents, held] = await Promise.all([readAgents(context.database), heldByAgent(context.database)]);
      return agents.map(({ uid, name, scope, state, drained, slots, beatAt }) => ({
        ...{ name, scope, state, drained, slots, held: held.get(uid) ?? 0, beatAt },
      }));
    },
  };
  app.get(
    "/api/v1/debug/:topic",
    { config: { demand: { permission: "installation:debug" } } },
    async (request) => {
      const { topic } = request.params as { topic: string };
      const known = debugTopics.find((one) => one === topic);
      if (known === undefined)
        throw new Fault("not_found", "there is no such topic", {
          next: `topics: ${debugTopics.join(", ")}`,
        });
      return { items: await topics[known]() };
    },
  );
}
