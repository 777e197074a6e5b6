import { defineVerb } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { follow } from "../follow.ts";

export const watch = defineVerb<CliDesk>()({
  name: "watch",
  group: "read",
  summary: "Show resources and every change, until Ctrl-C",
  args: [
    { name: "KIND", completes: "target" },
    { name: "NAME", optional: true, completes: "name" },
  ],
  example: "reeve watch projects -o json",
  async run(desk, { args: [word = "", name] }) {
    if (name !== undefined || word.includes("/")) {
      const target = await desk.target(word, name);
      await follow(desk, target.kind, target.scope, target.name);
      return 0;
    }
    const kind = await desk.kind(word);
    await follow(desk, kind, await desk.scopeFor(kind));
    return 0;
  },
});
