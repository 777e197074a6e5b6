import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";
import { targetArgs } from "../target-args.ts";

export const events = defineVerb<CliDesk>()({
  name: "events",
  group: "read",
  summary: "Show what happened to a resource",
  args: targetArgs,
  example: "reeve events project/shop",
  async run(desk, { args: [word = "", path] }) {
    const { kind, scope, name } = await desk.target(word, path);
    const all = await (await desk.client()).kind(kind).events(scope, name);
    if (await desk.data({ items: all })) return 0;
    if (all.length === 0) desk.say("nothing has happened to it lately");
    else
      desk.table(
        ["Age", "Count", "Tone", "Reason", "Message"],
        all.map((one) => [age(one.at), String(one.count), one.tone, one.reason, one.message]),
      );
    return 0;
  },
});
