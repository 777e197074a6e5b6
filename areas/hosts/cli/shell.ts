import type { TerminalTicket } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

export const shell = defineVerb()({
  name: "shell",
  group: "change",
  summary: "Open a shell on a host, as the user of its agent",
  args: [{ name: "HOST", completes: "name" }],
  example: "reeve shell web-1",
  async run(desk, { args: [word = ""] }) {
    const { scope, name } = await desk.target(Host.plural, word);
    const answer = await (await desk.client()).kind(Host).act(scope, name, "shell", {});
    const { ticket, recorded } = answer as TerminalTicket;
    if (recorded) desk.say("what this terminal shows is recorded");
    return desk.attach(ticket);
  },
});
