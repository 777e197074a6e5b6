import { showDuration } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { type Instance, Service } from "../kinds/index.ts";

export const ps = defineVerb()({
  name: "ps",
  group: "read",
  summary: "Show where services run: the containers on each host, as they were seen last",
  args: [{ name: "SERVICE", optional: true, completes: "name" }],
  example: "reeve ps web",
  async run(desk, { args: [word] }) {
    const services = (await desk.client()).kind(Service);
    const target = word === undefined ? undefined : await desk.target(Service.plural, word);
    const found = [];
    if (target) found.push(await services.get(target.scope, target.name));
    else for await (const service of services.list(await desk.scopeFor(Service))) found.push(service);
    const shown = found.flatMap(({ metadata, status }) =>
      (status.instances ?? []).map((instance) => ({ service: metadata.name, ...instance })),
    );
    if (await desk.data(shown)) return 0;
    if (shown.length === 0) desk.say("nothing is deployed here; `reeve deploy SERVICE` does it");
    else
      desk.table(
        ["Service", "Host", "Gen", "Container", "Image", "State", "Since", "Ports"],
        shown.flatMap(rowsOf),
      );
    return 0;
  },
});

function rowsOf({ service, host, generation, state, why, containers }: Instance & { service: string }) {
  const place = [service, host, String(generation ?? "")];
  if (containers.length === 0) return [[...place, "", "", why ? `${state}: ${why}` : state, "", ""]];
  return containers.map((one) => [
    ...place,
    one.name,
    one.image,
    state === "unknown" ? `unknown: ${why}` : wordsOf(one),
    one.startedAt === undefined ? "" : showDuration(Date.now() - Date.parse(one.startedAt)),
    one.ports.join(", "),
  ]);
}

function wordsOf({ state, health, restarts, exitCode, stopped }: Instance["containers"][number]): string {
  const words = [
    state,
    health === "none" ? "" : health,
    stopped === undefined ? "" : `stopped by ${stopped.by}`,
    exitCode === undefined ? "" : `with ${exitCode}`,
    restarts === 0 ? "" : `restarted ${restarts} times`,
  ];
  return words.filter((word) => word !== "").join(", ");
}
