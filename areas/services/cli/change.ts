import { defineVerb, flag } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";

/** The verbs that begin a run of a service, and show it. */
function changing(action: "deploy" | "stop" | "start", summary: string, example: string) {
  return defineVerb()({
    name: action,
    group: "change",
    summary,
    args: [{ name: "SERVICE", completes: "name" }],
    options: { noWait: flag("Return at once, with the id of the run") },
    example,
    async run(desk, { args: [word = ""], options }) {
      const { scope, name } = await desk.target(Service.plural, word);
      const answer = await (await desk.client()).kind(Service).act(scope, name, action, {});
      const { run } = answer as { run: string };
      if (!options.noWait) return desk.follow(run);
      if (!(await desk.data({ run }))) desk.out(`${run}\n`);
      return 0;
    },
  });
}

export const deploy = changing(
  "deploy",
  "Bring a service to its hosts, one after the other; it goes back by itself where it is not healthy",
  "reeve deploy web",
);
export const stop = changing("stop", "Stop a service on its hosts; it stays stopped", "reeve stop web");
export const start = changing("start", "Start a stopped service again", "reeve start web");
