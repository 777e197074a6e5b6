import { Fault, type Scope, selfAndAncestors, showBytes, showCpu } from "@reeve/model";
import type { Client, UsedNow } from "@reeve/sdk";
import { defineVerb } from "@reeve/sdk/cli";
import { Host } from "../kinds/index.ts";

export const topHosts = defineVerb()({
  name: "top hosts",
  group: "read",
  standard: true,
  summary: "Show what hosts use now: CPU, memory, disk and network",
  example: "reeve top\nreeve top hosts -A",
  async run(desk) {
    const client = await desk.client();
    const { deep } = desk.flags;
    const { scope, used } = await nearestUse(client, await desk.scopeFor(Host), deep);
    if (await desk.data(used)) return 0;
    if (used.length === 0) {
      desk.say("no host here has told what it uses in the last minute; `reeve agent list` shows them");
      return 0;
    }
    const facts = new Map<string, { cpus?: number | undefined; memoryBytes?: number | undefined }>();
    for await (const { metadata, status } of client.kind(Host).list(scope, { deep }))
      facts.set(`${metadata.scope}/${metadata.name}`, status.facts ?? {});
    const rows = used
      .toSorted((a, b) => (b.values.cpu ?? 0) - (a.values.cpu ?? 0))
      .map(({ scope: of, resource, values }) => {
        const { cpus = 1, memoryBytes } = facts.get(`${of}/${resource}`) ?? {};
        const memory = shown(values.memory, showBytes);
        return [
          resource,
          shown(values.cpu, (cpu) => showCpu(cpu, cpus)),
          memoryBytes === undefined ? memory : `${memory} of ${showBytes(memoryBytes)}`,
          shown(values.disk, showBytes),
          `${rate(values.diskRead)} ${rate(values.diskWritten)}`,
          `${rate(values.networkIn)} ${rate(values.networkOut)}`,
        ];
      });
    desk.table(["Host", "CPU", "Memory", "Disk", "Read, written /s", "In, out /s"], rows);
    return 0;
  },
});

/** The hosts of this scope, or else of the nearest above that has any: they serve what is below them too. */
async function nearestUse(
  client: Client,
  own: Scope,
  deep: boolean,
): Promise<{ scope: Scope; used: UsedNow[] }> {
  for (const scope of selfAndAncestors(own)) {
    const used = await client.usage
      .now(Host, scope, { deep: deep && scope === own })
      .catch((error: unknown) => {
        // Of a scope above that is not theirs to see, people need not hear.
        if (scope === own || !(error instanceof Fault) || !["forbidden", "not_found"].includes(error.kind))
          throw error;
        return [];
      });
    if (used.length > 0) return { scope, used };
  }
  return { scope: own, used: [] };
}

function shown(value: number | null, words: (value: number) => string): string {
  return value === null ? "-" : words(value);
}

/** Without a space, two of them stand side by side. */
function rate(value: number | null): string {
  return shown(value, (bytes) => showBytes(bytes).replace(" ", ""));
}
