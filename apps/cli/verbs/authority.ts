import type { AuthorityInfo } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";

const list = defineVerb<CliDesk>()({
  name: "authority list",
  group: "server",
  summary: "The certificate authorities that agents trust, and how many still need each",
  example: "reeve authority list",
  async run(desk) {
    const items = await (await desk.client()).listAuthorities();
    if (await desk.data({ items })) return 0;
    const count = ({ state }: AuthorityInfo, number: number) => (state === "current" ? "all" : `${number}`);
    desk.table(
      ["id", "state", "age", "agents", "tokens", "replicas"],
      items.map((one) => [
        one.id,
        one.state,
        age(one.since),
        ...[one.needed.agents, one.needed.joinTokens, one.needed.replicas].map((number) =>
          count(one, number),
        ),
      ]),
    );
    return 0;
  },
});

const rotate = defineVerb<CliDesk>()({
  name: "authority rotate",
  group: "server",
  summary: "Replace the agents' certificate authority; agents follow while running",
  example: "reeve authority rotate",
  async run(desk) {
    const rotated = await (await desk.client()).rotateAuthority();
    if (await desk.data(rotated)) return 0;
    desk.say(`${rotated.id} signs from now on; \`reeve authority list\` shows who still needs the old`);
    return 0;
  },
});

export const authorityVerbs = [list, rotate];
