import { defineVerb, text } from "@reeve/sdk/cli";
import { Secret } from "../kinds/index.ts";
import { readVersionNumber } from "./version-number.ts";

export const secretReveal = defineVerb()({
  name: "secret reveal",
  group: "read",
  summary: "Show values of a secret; needs a recent sign-in, and is audited",
  args: [{ name: "NAME" }, { name: "KEY", optional: true }],
  options: {
    at: text("VERSION", "An earlier version"),
    reason: text("TEXT", "Why, for the audit"),
  },
  example: "reeve secret reveal database password",
  async run(desk, { args: [path = "", key], options }) {
    const { scope, name } = await desk.target(Secret.plural, path);
    const input = {
      ...(key === undefined ? {} : { keys: [key] }),
      ...(options.at === undefined ? {} : { version: readVersionNumber(options.at) }),
    };
    const reason = options.reason === undefined ? {} : { reason: options.reason };
    const answer = await (await desk.client())
      .kind(Secret)
      .act<{ version: number; values: Record<string, string> }>(scope, name, "reveal", input, reason);
    if (await desk.data(answer)) return 0;
    // One value alone, for a pipe; several as a program would read them.
    const shown = key === undefined ? JSON.stringify(answer.values, null, 2) : (answer.values[key] ?? "");
    desk.out(shown.endsWith("\n") ? shown : `${shown}\n`);
    return 0;
  },
});
