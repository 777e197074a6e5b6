import { defineVerb, flag, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { proveAnew } from "../prove-anew.ts";

export const confirm = defineVerb<CliDesk>()({
  name: "auth confirm",
  group: "access",
  summary: "Prove anew who you are, for what is sensitive; it counts for 10 minutes",
  options: { stdin: flag("Read the code, or without a second factor the password, from stdin") },
  example: "reeve auth confirm",
  async run(desk, { options }) {
    const { name } = desk.connection();
    if (name === undefined || desk.environment.token !== undefined)
      throw new Usage("not signed in with a context", "a REEVE_TOKEN proves nothing: reeve login URL");
    const given = options.stdin ? (await desk.stdin()).trim() : undefined;
    await proveAnew(desk, name, given);
    desk.say("proved; what is sensitive works for 10 minutes");
    return 0;
  },
});
