import { Fault } from "@reeve/model";
import { defineVerb, flag, text, texts } from "@reeve/sdk/cli";
import { readActInput } from "../act-input.ts";
import type { CliDesk } from "../desk.ts";
import { nameOf } from "../output/name-of.ts";

export const act = defineVerb<CliDesk>()({
  name: "act",
  group: "change",
  summary: "Perform an action; explain KIND lists them",
  args: [{ name: "KIND/NAME", completes: "target" }, { name: "ACTION" }],
  options: {
    input: texts("KEY=VALUE", "An input of the action", { short: "i" }),
    reason: text("TEXT", "Why, for the audit"),
    dryRun: flag("Check in full, do nothing"),
  },
  example: "reeve act token/ci-2026 issue",
  async run(desk, { args: [word = "", action = ""], options }) {
    const target = await desk.target(word);
    const client = await desk.client();
    const info = await client.find(target.kind.name);
    const known = Object.hasOwn(info.actions ?? {}, action) ? info.actions[action] : undefined;
    if (known === undefined)
      throw new Fault("not_found", `${info.name} has no action ${JSON.stringify(action)}`, {
        next: adviceFor(Object.keys(info.actions ?? {})),
      });
    const input = readActInput(options.input, known.input);
    const { scope, name } = target;
    const answer = await client.kind(target.kind).act(scope, name, action, input, {
      dryRun: options.dryRun,
      ...(options.reason === undefined ? {} : { reason: options.reason }),
    });
    desk.say(`${nameOf(target.kind, target)}: ${action} done${options.dryRun ? " (dry run)" : ""}`);
    if (answer !== undefined && !(await desk.data(answer))) desk.out(`${JSON.stringify(answer, null, 2)}\n`);
    return 0;
  },
});

function adviceFor(actions: readonly string[]): string {
  return actions.length === 0 ? "this kind has none" : `its actions are ${actions.join(", ")}`;
}
