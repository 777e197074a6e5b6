import { type Attention, paths, useList } from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { Host } from "../kinds/index.ts";

const hosts = { name: "Host", plural: "hosts" };

/** Agents that are lost or silent, and those that report trouble. */
export function useSilentAgents(scope: Scope): readonly Attention[] {
  const { rows } = useList<ResourceOf<typeof Host>>(hosts, scope);
  return rows.flatMap(({ metadata, status }): Attention[] => {
    const { agent, troubles, seenAt } = status;
    const about = { key: metadata.uid, to: paths.resource(hosts, metadata.scope, metadata.name) };
    if (agent === "lost" || agent === "suspect")
      return [
        {
          ...about,
          level: agent === "lost" ? "failed" : "waiting",
          title: `The agent of ${metadata.name} is ${agent === "lost" ? "lost" : "silent"}`,
          ...(seenAt !== undefined && { at: seenAt }),
        },
      ];
    if (troubles === undefined || troubles.length === 0) return [];
    return [
      {
        ...about,
        level: "failed",
        title: `The agent of ${metadata.name} reports trouble`,
        detail: troubles.join("; "),
      },
    ];
  });
}
