import { defineVerb, text, Usage } from "@reeve/sdk/cli";
import { Secret } from "../kinds/index.ts";
import { readVersionNumber } from "./version-number.ts";

export const secretRollback = defineVerb()({
  name: "secret rollback",
  group: "change",
  summary: "Use the values of an earlier version again, as a new version",
  args: [{ name: "NAME" }],
  options: {
    to: text("VERSION", "The version to go back to"),
    reason: text("TEXT", "Why, for the audit"),
  },
  example: "reeve secret rollback database --to 3",
  async run(desk, { args: [path = ""], options }) {
    if (options.to === undefined)
      throw new Usage("say which version to go back to", "reeve secret rollback NAME --to 3");
    const to = readVersionNumber(options.to);
    const { scope, name } = await desk.target(Secret.plural, path);
    const answer = await (await desk.client())
      .kind(Secret)
      .act<{ version: number; keys: string[] }>(
        scope,
        name,
        "rollback",
        { version: to },
        options.reason === undefined ? {} : { reason: options.reason },
      );
    if (await desk.data(answer)) return 0;
    desk.say(`secret ${name} is now at version ${answer.version}, with the values of ${to}`);
    return 0;
  },
});
