import { nearest } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import { Host, type HostFacts } from "../kinds/index.ts";

export const host = defineVerb()({
  name: "host",
  group: "read",
  summary: "Show a host, of this scope or the nearest above: its agent, its system, what it can execute",
  args: [{ name: "HOST" }],
  example: "reeve host build-1",
  async run(desk, { args: [path = ""] }) {
    const target = await desk.target(Host.plural, path);
    const found = await nearest(await desk.client(), Host, target);
    if (await desk.data(found)) return 0;
    const { metadata, spec, status } = found;
    const { scope, name } = metadata;
    const condition = status.conditions?.find((one) => one.type === "Connected");
    const rows: [string, string | undefined][] = [
      ["Host", scope === "" ? name : `${scope}/${name}`],
      ["Agent", `${status.agent ?? "waiting"}${condition ? ` since ${condition.since}` : ""}`],
      ["", condition?.message],
      ["Trouble", status.troubles?.join("; ")],
      ["Drained", spec.drained ? (status.running ? `${status.running} steps still run` : "yes") : "no"],
      ["Slots", status.slots?.toString()],
      ["Executors", status.executors?.join(", ")],
      ["Has", status.facts?.capabilities?.join(", ")],
      ["System", systemOf(status.facts)],
      [
        "Labels",
        Object.entries(metadata.labels)
          .map((pair) => pair.join("="))
          .join(", "),
      ],
      ["Description", spec.description],
    ];
    for (const [title, value] of rows) if (value) desk.out(`${title.padEnd(11)}  ${value}\n`);
    return 0;
  },
});

function systemOf(facts: HostFacts | undefined): string | undefined {
  if (facts === undefined) return undefined;
  const { os, osVersion, kernel, arch, cpus, memoryBytes } = facts;
  const memory = memoryBytes === undefined ? undefined : `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  return [osVersion ?? os, kernel, arch, cpus === undefined ? undefined : `${cpus} CPUs`, memory]
    .filter((part) => part)
    .join(", ");
}
