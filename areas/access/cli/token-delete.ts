import { defineVerb } from "@reeve/sdk/cli";
import { Token } from "../kinds/index.ts";

export const tokenDelete = defineVerb()({
  name: "token delete",
  group: "access",
  summary: "Delete a token; its secret stops working at once",
  args: [{ name: "NAME" }],
  example: "reeve token delete ci-2026",
  async run(desk, { args: [path = ""] }) {
    const { scope, name } = await desk.target(Token.plural, path);
    await (await desk.client()).kind(Token).delete(scope, name);
    desk.say(`token ${name} deleted`);
    return 0;
  },
});
