import { defineVerb } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

export const agentRevoke = defineVerb()({
  name: "agent revoke",
  group: "change",
  summary: "Let a host's agent in no more, also if it is connected; the host stays",
  args: [{ name: "HOST" }],
  example: "reeve agent revoke build-1",
  async run(desk, { args: [path = ""] }) {
    const { scope, name } = await desk.target(Host.plural, path);
    await (await desk.client()).kind(Host).act(scope, name, "revoke");
    desk.say(`the agent of ${name} is revoked; to join again it needs: reeve agent token --replace`);
    return 0;
  },
});
