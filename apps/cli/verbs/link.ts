import { defineVerb, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { walkToProvider } from "../provider-journey.ts";

export const link = defineVerb<CliDesk>()({
  name: "auth link",
  group: "access",
  summary: "Link your user with your identity at a provider, to sign in there from then on",
  args: [{ name: "PROVIDER" }],
  example: "reeve auth link corporate",
  async run(desk, { args: [provider = ""] }) {
    const { name, url } = desk.connection();
    if (name === undefined || desk.environment.token !== undefined)
      throw new Usage("not signed in with a context", "a token cannot link: reeve login URL");
    const client = await desk.client();
    await client.linkIdentity(await walkToProvider(desk, url, provider));
    desk.say(`linked; sign in with: reeve login --provider ${provider}`);
    return 0;
  },
});
