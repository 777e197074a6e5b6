import { type AnyVerb, defineVerb, text } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { nameOf } from "../output/name-of.ts";
import { targetArgs } from "../target-args.ts";
import { steerNamed } from "./steer.ts";

export const pause = pausing(
  "pause",
  true,
  "Let nothing act on a resource, or no step of a run begin, until resumed",
);
export const resume = pausing("resume", false, "Let a paused resource be acted on again, or a run go on");

function pausing(verb: "pause" | "resume", paused: boolean, summary: string): AnyVerb<CliDesk> {
  return defineVerb<CliDesk>()({
    name: verb,
    group: "change",
    summary,
    args: targetArgs,
    options: { reason: text("TEXT", "Why, for history and audit") },
    example: `reeve ${verb} project/shop\nreeve ${verb} run/1f2e3d4c`,
    async run(desk, { args: [word = "", path], options }) {
      // A run is named by its id, which is no kind's name.
      const steered = path === undefined ? await steerNamed(desk, verb, word) : undefined;
      if (steered !== undefined) return steered;
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
