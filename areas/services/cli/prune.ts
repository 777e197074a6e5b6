import { Host } from "@reeve/hosts/kinds";
import { showBytes, showDuration } from "@reeve/model";
import { nearest } from "@reeve/sdk";
import { type Desk, defineVerb, flag, texts } from "@reeve/sdk/cli";
import { type StorageItem, toPrune } from "../kinds/index.ts";

export const storage = defineVerb()({
  name: "storage",
  group: "read",
  summary: "Show the images, volumes and networks of a host, who uses them, and whether pruning takes them",
  args: [{ name: "HOST" }],
  example: "reeve storage web-1",
  async run(desk, { args: [word = ""] }) {
    const { items } = await look(desk, word);
    if (!(await desk.data(items))) show(desk, items);
    return 0;
  },
});

export const prune = defineVerb()({
  name: "prune",
  group: "change",
  summary: "Remove images that services of a host had before and need no more",
  args: [{ name: "HOST" }],
  options: {
    all: flag("Also images and networks that are no service's, when no container uses them"),
    named: texts("NAME", "Also this volume or image, when no container uses it; may be repeated"),
    dryRun: flag("Show what would be removed, do nothing"),
    yes: flag("Do not ask", "y"),
  },
  example: "reeve prune web-1 --dry-run\nreeve prune web-1 --all\nreeve prune web-1 --named shop_data",
  async run(desk, { args: [word = ""], options }) {
    const { items, host } = await look(desk, word);
    const chosen = toPrune(items, { all: options.all, names: options.named });
    if (options.dryRun && (await desk.data(chosen))) return 0;
    if (chosen.length === 0) {
      desk.say("there is nothing to remove; `reeve storage HOST` says why");
      return 0;
    }
    const freed = showBytes(chosen.reduce((sum, { bytes }) => sum + bytes, 0));
    if (desk.flags.output === undefined) show(desk, chosen);
    if (options.dryRun) {
      desk.say(`nothing was done; without --dry-run these go, and up to ${freed} are free`);
      return 0;
    }
    if (
      !options.yes &&
      !(await desk.ask.confirm(`Remove these ${chosen.length}? Up to ${freed} are free then.`))
    ) {
      desk.say("nothing was done; --yes does it without asking");
      return 1;
    }
    const { scope, name } = host.metadata;
    const done = await (await desk.client()).hostEngine.prune(scope, name, chosen);
    if (await desk.data(done)) return 0;
    for (const one of done.left) desk.out(`left ${one.kind} ${one.name}: ${one.why}\n`);
    const bytes = done.removed.reduce((sum, one) => sum + one.bytes, 0);
    desk.out(`removed ${done.removed.length}, up to ${showBytes(bytes)}\n`);
    return 0;
  },
});

async function look(desk: Desk, word: string) {
  const client = await desk.client();
  const host = await nearest(client, Host, await desk.target(Host.plural, word));
  return { host, items: await client.hostEngine.storage(host.metadata.scope, host.metadata.name) };
}

const when = { prune: "with prune", all: "with --all", named: "with --named", no: "no" };

function show(desk: Desk, items: readonly StorageItem[]): void {
  desk.table(
    ["Kind", "Name", "Size", "Age", "Used by", "Goes", "Why"],
    items.map(({ kind, name, bytes, createdAt, usedBy, goes, why }) => [
      kind,
      name,
      kind === "network" ? "" : showBytes(bytes),
      createdAt === undefined ? "" : showDuration(Date.now() - Date.parse(createdAt)),
      usedBy.join(", "),
      when[goes],
      why,
    ]),
  );
}
