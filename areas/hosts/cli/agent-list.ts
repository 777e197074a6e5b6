import { Fault, parentScope, type ResourceOf, type Scope, selfAndAncestors, showScope } from "@reeve/model";
import type { Client } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

type HostResource = ResourceOf<typeof Host>;

export const agentList = defineVerb()({
  name: "agent list",
  group: "read",
  summary: "List the agents with their hosts: connected, silent since when, drained",
  example: "reeve agent list -A",
  async run(desk) {
    const { labels, fields, deep } = desk.flags;
    const query = {
      ...(labels === undefined ? {} : { labels }),
      ...(fields === undefined ? {} : { fields }),
      deep,
      limit: 500,
    };
    const client = await desk.client();
    const scope = await desk.scopeFor(Host);
    const hosts: HostResource[] = [];
    for await (const one of client.kind(Host).list(scope, query)) hosts.push(one);
    if (hosts.length > 0 || desk.flags.output !== undefined) await desk.print(Host, hosts);
    else {
      const above = await hostsAbove(client, scope);
      for (const { metadata } of above)
        desk.say(`${showScope(metadata.scope)} has ${metadata.name}, which serves what is below it too`);
      const own = above.length === 0 ? "no agents" : `${showScope(scope)} has no agents of its own`;
      desk.say(`${own}; make a token for one with: reeve agent token`);
    }
    return 0;
  },
});

/** Agents serve their host's scope and everything below it; those above that the caller may not see are left out. */
async function hostsAbove(client: Client, scope: Scope): Promise<HostResource[]> {
  const found: HostResource[] = [];
  for (const above of scope === "" ? [] : selfAndAncestors(parentScope(scope)))
    try {
      for await (const host of client.kind(Host).list(above, { limit: 5 })) {
        found.push(host);
        if (found.length >= 5) return found;
      }
    } catch (error) {
      if (!(error instanceof Fault) || (error.kind !== "forbidden" && error.kind !== "not_found"))
        throw error;
    }
  return found;
}
