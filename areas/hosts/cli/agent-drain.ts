import { Fault } from "@reeve/model";
import { type Desk, defineVerb, flag } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

export const agentDrain = defineVerb()({
  name: "agent drain",
  group: "change",
  summary: "Offer a host nothing new, and wait until nothing runs on it any more",
  args: [{ name: "HOST" }],
  options: { noWait: flag("Return at once; reeve agent list shows what still runs") },
  example: "reeve agent drain build-1",
  async run(desk, { args: [path = ""], options }) {
    const { scope, name } = await drained(desk, path, true);
    if (!options.noWait) return untilEmpty(desk, scope, name);
    desk.say(`${name} is offered nothing new`);
    return 0;
  },
});

export const agentResume = defineVerb()({
  name: "agent resume",
  group: "change",
  summary: "Offer a drained host work again",
  args: [{ name: "HOST" }],
  example: "reeve agent resume build-1",
  async run(desk, { args: [path = ""] }) {
    const { name } = await drained(desk, path, false);
    desk.say(`${name} is offered work again`);
    return 0;
  },
});

async function drained(desk: Desk, path: string, drained: boolean): Promise<{ scope: string; name: string }> {
  const { scope, name } = await desk.target(Host.plural, path);
  await (await desk.client()).kind(Host).patch(scope, name, { spec: { drained } });
  return { scope, name };
}

async function untilEmpty(desk: Desk, scope: string, name: string): Promise<number> {
  const stop = new AbortController();
  const changes = (await desk.client())
    .kind(Host)
    .watch(scope, { fields: { "metadata.name": name }, signal: stop.signal });
  try {
    for await (const { type, resource } of changes) {
      if (type === "removed") throw new Fault("not_found", `the host ${name} was deleted meanwhile`);
      const { metadata, spec, status } = resource;
      if (!spec.drained) throw new Fault("conflict", `somebody has resumed ${name} meanwhile`);
      // What is shown may be of the time before.
      if (status.observedGeneration !== metadata.generation) continue;
      desk.progress(status.running ? `${status.running} steps still run on ${name}` : "");
      if (status.running) continue;
      desk.say(`${name} is drained: nothing runs on it`);
      return 0;
    }
  } finally {
    stop.abort();
  }
  return 1;
}
