import type { TerminalTicket } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";

export const exec = defineVerb()({
  name: "exec",
  group: "change",
  summary: "Run a command in a container of a service, with your terminal",
  args: [
    { name: "SERVICE", completes: "name" },
    { name: "COMMAND", many: true },
  ],
  options: {
    host: text("HOST", "Where the service is on several; the first when left out"),
    container: text(
      "NAME",
      "The container, or a service of the Compose file; the first that runs when left out",
    ),
    noTty: flag("Without a terminal there, as for a program; so it is when there is none here", "T"),
  },
  example:
    "reeve exec web -- sh\nreeve exec web --container db -- psql -c 'select 1'\nreeve exec web -T -- cat /data/x > x",
  async run(desk, { args: [word = "", ...command], options: { host, container, noTty } }) {
    if (command.length === 0) throw new Usage("say which command", "write it after --: reeve exec web -- sh");
    const { scope, name } = await desk.target(Service.plural, word);
    const input = {
      ...{ command, tty: desk.interactive && !noTty },
      ...(host === undefined ? {} : { host }),
      ...(container === undefined ? {} : { container }),
    };
    const answer = await (await desk.client()).kind(Service).act(scope, name, "exec", input);
    const { ticket, recorded } = answer as TerminalTicket;
    if (recorded) desk.say("what this terminal shows is recorded");
    return desk.attach(ticket);
  },
});
