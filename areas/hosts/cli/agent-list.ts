import type { ResourceOf } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

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
    const hosts: ResourceOf<typeof Host>[] = [];
    for await (const one of (await desk.client()).kind(Host).list(await desk.scopeFor(Host), query))
      hosts.push(one);
    if (hosts.length === 0 && desk.flags.output === undefined)
      desk.say("no agents; make a token for one with: reeve agent token");
    else await desk.print(Host, hosts);
    return 0;
  },
});
