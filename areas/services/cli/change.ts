import { defineVerb, flag, text } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";
import { showDifference } from "./difference.ts";

type Change = "deploy" | "stop" | "start" | "restart" | "pull";

/** A verb that begins a run of a service, and shows it. */
function changing(action: Change, summary: string, example: string) {
  return defineVerb()({
    name: action,
    group: "change",
    summary,
    args: [{ name: "SERVICE", completes: "name" }],
    options: { noWait },
    example,
    run: (desk, { args: [word], options }) => begin(desk, word, action, {}, options),
  });
}

/** Those that also go for one container. */
function changingContainers(action: "stop" | "start" | "restart", summary: string, example: string) {
  return defineVerb()({
    name: action,
    group: "change",
    summary,
    args: [{ name: "SERVICE", completes: "name" }],
    options: {
      container: text("NAME", "Only this container of it, as `reeve ps` shows it"),
      host: text("NAME", "Where, when several hosts have such a container"),
      noWait,
    },
    example,
    run: (desk, { args: [word], options }) => {
      const { container, host } = options;
      if (container === undefined) return begin(desk, word, action, {}, options);
      const input = { do: action, container, ...(host === undefined ? {} : { host }) };
      return begin(desk, word, "container", input, options);
    },
  });
}

const noWait = flag("Return at once, with the id of the run");

type Desk = Parameters<Parameters<ReturnType<typeof defineVerb>>[0]["run"]>[0];

async function begin(
  desk: Desk,
  word = "",
  action: Change | "container",
  input: object,
  options: { readonly noWait?: boolean | undefined },
): Promise<number> {
  const { scope, name } = await desk.target(Service.plural, word);
  const answer = await (await desk.client()).kind(Service).act(scope, name, action, input as never);
  const { run } = answer as { run: string };
  if (!options.noWait) return desk.follow(run);
  if (!(await desk.data({ run }))) desk.out(`${run}\n`);
  return 0;
}

export const deploy = defineVerb()({
  name: "deploy",
  group: "change",
  summary:
    "Bring a service to its hosts, one after the other; it goes back by itself where it is not healthy",
  args: [{ name: "SERVICE", completes: "name" }],
  options: { dryRun: flag("Show what it would change on each host, do nothing"), noWait },
  example: "reeve deploy web --dry-run",
  run: (desk, { args: [word], options }) =>
    options.dryRun ? showDifference(desk, word) : begin(desk, word, "deploy", {}, options),
});
export const pull = changing(
  "pull",
  "Pull a service's images anew, and replace the containers whose image is another by now",
  "reeve pull web",
);
export const stop = changingContainers(
  "stop",
  "Stop a service on its hosts, or one container of it; it stays stopped",
  "reeve stop web",
);
export const start = changingContainers(
  "start",
  "Start a stopped service again, or one container of it",
  "reeve start web",
);
export const restart = changingContainers(
  "restart",
  "Restart a service, one host after the other, or one container of it",
  "reeve restart web --container web-web-1",
);
