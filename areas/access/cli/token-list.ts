import { Token } from "@reeve/access/kinds";
import type { Resource } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";

export const tokenList = defineVerb()({
  name: "token list",
  group: "access",
  summary: "List the tokens of the scope; -A for everything below",
  example: "reeve token list -A",
  async run(desk) {
    const { labels, fields, deep } = desk.flags;
    const tokens: Resource[] = [];
    const query = { ...(labels === undefined ? {} : { labels }), ...(fields === undefined ? {} : { fields }), deep, limit: 500 };
    const kind: Pick<typeof Token, "name" | "plural"> = Token;
    for await (const token of (await desk.client()).kind(kind).list(await desk.scopeFor(Token), query)) tokens.push(token);
    if (tokens.length === 0 && desk.flags.output === undefined) desk.say("no tokens; make one with: reeve token create NAME");
    else await desk.print(Token, tokens);
    return 0;
  },
});
