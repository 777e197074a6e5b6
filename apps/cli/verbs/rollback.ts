import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { nameOf } from "../output/name-of.ts";
import { targetArgs } from "../target-args.ts";

export const rollback = defineVerb<CliDesk>()({
  name: "rollback",
  group: "change",
  summary: "Go back to the spec of an earlier generation",
  args: targetArgs,
  options: {
    to: text("GENERATION", "The generation to go back to"),
    reason: text("TEXT", "Why, for history and audit"),
    dryRun: flag("Check in full, keep nothing"),
  },
  example: "reeve rollback sa/ci --to 3",
  async run(desk, { args: [word = "", path], options }) {
    const to = Number(options.to);
    if (options.to === undefined || !Number.isSafeInteger(to) || to < 1)
      throw new Usage(
        "say which generation to go back to",
        "reeve rollback KIND/NAME --to 3; see reeve history KIND/NAME",
      );
    const { kind, scope, name } = await desk.target(word, path);
    const { outcome, resource } = await (await desk.client()).kind(kind).rollback(scope, name, to, {
      dryRun: options.dryRun,
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    });
    const dry = options.dryRun ? " (dry run)" : "";
    if (desk.flags.output !== undefined) await desk.print(kind, [resource], { single: true });
    else if (outcome === "unchanged")
      desk.say(`${nameOf(kind, resource.metadata)} is as in generation ${to} already${dry}`);
    else
      desk.say(
        `${nameOf(kind, resource.metadata)} is now at generation ${resource.metadata.generation}, with the spec of ${to}${dry}`,
      );
    return 0;
  },
});
