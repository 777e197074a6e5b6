import { type AnyVerb, defineVerb, text } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { nameOf } from "../output/name-of.ts";
import { targetArgs } from "../target-args.ts";

export const pause = pausing("pause", true, "Let nothing act on a resource until resumed");
export const resume = pausing("resume", false, "Let a paused resource be acted on again");

function pausing(verb: "pause" | "resume", paused: boolean, summary: string): AnyVerb<CliDesk> {
  return defineVerb<CliDesk>()({
    name: verb,
    group: "change",
    summary,
    args: targetArgs,
    options: { reason: text("TEXT", "Why, for history and audit") },
    example: `reeve ${verb} project/shop`,
    async run(desk, { args: [word = "", path], options }) {
      const { kind, scope, name } = await desk.target(word, path);
      const reason = options.reason === undefined ? {} : { reason: options.reason };
      const { outcome } = await (await desk.client())
        .kind(kind)
        .patch(scope, name, { metadata: { paused } }, reason);
      desk.say(`${nameOf(kind, { scope, name })} ${outcome === "unchanged" ? "already " : ""}${verb}d`);
      return 0;
    },
  });
}
