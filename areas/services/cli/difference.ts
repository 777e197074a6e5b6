import type { ServiceDifference } from "@reeve/sdk";
import type { Desk } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";

type HostDifference = ServiceDifference["hosts"][number];

/** What a deploy would change, before anything happens. */
export async function showDifference(desk: Desk, word = ""): Promise<number> {
  const { scope, name } = await desk.target(Service.plural, word);
  const difference = await (await desk.client()).serviceDifference(scope, name);
  if (await desk.data(difference)) return 0;
  for (const host of difference.hosts) {
    desk.out(`${host.host}: ${wordsOf(host, difference.brings)}\n`);
    if (host.note !== undefined) desk.out(`  ${host.note}\n`);
    desk.changes([
      ...host.settings.map(({ pointer, ...change }) => ({ pointer: `/spec${pointer}`, ...change })),
      ...host.files.flatMap(({ path, encrypted, ...change }) =>
        encrypted ? [] : [{ pointer: path, ...change }],
      ),
    ]);
    for (const { path } of host.files.filter(({ encrypted }) => encrypted))
      desk.out(`  ${path}: changed, encrypted\n`);
  }
  desk.say("nothing was done; without --dry-run it is");
  return 0;
}

function wordsOf({ does, runs }: HostDifference, brings: ServiceDifference["brings"]): string {
  const to = versionText(brings);
  if (does === "remove") return "is left: the service is removed there";
  if (does === "begin") return `begins with ${to}`;
  if (does === "nothing") return `runs this already (${versionText(runs ?? brings)})`;
  return `${versionText(runs ?? brings)} gives way to ${to}`;
}

function versionText({ generation, revision }: ServiceDifference["brings"]): string {
  return `generation ${generation}${revision === undefined ? "" : `, revision ${revision.slice(0, 12)}`}`;
}
