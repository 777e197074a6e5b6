import { showBytes, showCpu } from "@reeve/model";
import { defineVerb } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";

export const topServices = defineVerb()({
  name: "top services",
  group: "read",
  summary: "Show what the containers of services use now; CPU in per cent of one core",
  args: [{ name: "SERVICE", optional: true, completes: "name" }],
  example: "reeve top services\nreeve top services web",
  async run(desk, { args: [word] }) {
    const client = await desk.client();
    const target = word === undefined ? undefined : await desk.target(Service.plural, word);
    const scope = target?.scope ?? (await desk.scopeFor(Service));
    const all = await client.usage.now(Service, scope, { deep: desk.flags.deep });
    const used = all.filter(({ resource }) => target === undefined || resource === target.name);
    if (await desk.data(used)) return 0;
    if (used.length === 0)
      desk.say("no container here has told what it uses in the last minute; `reeve ps` shows them");
    else
      desk.table(
        ["Service", "Host", "Container", "CPU", "Memory", "In, out /s"],
        used
          .toSorted((a, b) => (b.values.cpu ?? 0) - (a.values.cpu ?? 0))
          .map(({ resource, host, name, values: { cpu, memory, networkIn, networkOut } }) => [
            resource,
            host,
            name,
            cpu === null ? "-" : showCpu(cpu),
            memory === null ? "-" : showBytes(memory),
            [networkIn, networkOut]
              .map((one) => (one === null ? "-" : showBytes(one).replace(" ", "")))
              .join(" "),
          ]),
      );
    return 0;
  },
});
