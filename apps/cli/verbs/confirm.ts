import { defineVerb, flag, Usage } from "@reeve/sdk/cli";
import { contextNamed } from "../contexts/contexts.ts";
import type { CliDesk } from "../desk.ts";

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
    const client = await desk.client();
    const second = await client.hasFactor();
    const given = options.stdin ? (await desk.stdin()).trim() : undefined;
    const { token, expiresAt } = await client.confirm(
      second
        ? { code: given ?? (await askCode(desk)) }
        : { password: given ?? (await desk.ask.secret("Password", { instead: "use --stdin" })) },
    );
    desk.contexts.change((all) => {
      const context = { ...contextNamed(all, name), token, expiresAt };
      return { ...all, contexts: { ...all.contexts, [name]: context } };
    });
    desk.say("proved; what is sensitive works for 10 minutes");
    return 0;
  },
});

export function askCode(desk: CliDesk): Promise<string> {
  return desk.ask.secret("Code of your app, or a recovery code", {
    instead: "give it on stdin, after the password",
  });
}
