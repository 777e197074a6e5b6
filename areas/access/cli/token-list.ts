import type { ResourceOf } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { Token } from "../kinds/index.ts";

export const tokenList = defineVerb()({
  name: "token list",
  group: "access",
  summary: "List the tokens of the scope; -A for everything below",
  example: "reeve token list -A",
  async run(desk) {
    const { labels, fields, deep } = desk.flags;
    const tokens: ResourceOf<typeof Token>[] = [];
    const query = {
      ...(labels === undefined ? {} : { labels }),
      ...(fields === undefined ? {} : { fields }),
      deep,
      limit: 500,
    };
    for await (const token of (await desk.client()).kind(Token).list(await desk.scopeFor(Token), query))
      tokens.push(token);
    if (tokens.length === 0 && desk.flags.output === undefined)
      desk.say("no tokens; make one with: reeve token create NAME");
    else await desk.print(Token, tokens);
    return 0;
  },
});
