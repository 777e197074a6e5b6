import type { Resource } from "@reeve/model";
import { type CliKind, defineVerb, flag, type Target, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { follow } from "../follow.ts";
import { listAll, selectionOf } from "../listing.ts";
import { asList, printed } from "../output/print.ts";
import { teachEmpty } from "../teach.ts";

export const get = defineVerb<CliDesk>()({
  name: "get",
  group: "read",
  summary: "List resources, or show some by name",
  args: [
    { name: "KIND", completes: "target" },
    { name: "NAME", optional: true, many: true, completes: "name" },
  ],
  options: { watch: flag("Go on with what changes", "w") },
  example: "reeve get serviceaccounts -l team=web\nreeve get sa/ci -o yaml\nreeve get projects,workspaces -A",
  async run(desk, { args, options }) {
    const [first = "", ...names] = args;
    const targets = first.includes("/")
      ? await Promise.all(args.map((word) => desk.target(word)))
      : await Promise.all(names.map((name) => desk.target(first, name)));
    if (options.watch) return watchOne(desk, first, targets);
    if (targets.length > 0) return showNamed(desk, targets);
    return showLists(desk, await Promise.all(first.split(",").map((word) => desk.kind(word))));
  },
});

async function watchOne(desk: CliDesk, word: string, targets: readonly Target[]): Promise<undefined> {
  if (targets.length > 1 || word.includes(","))
    throw new Usage("only one kind or resource can be watched at a time");
  const [target] = targets;
  if (target !== undefined) await follow(desk, target.kind, target.scope, target.name);
  else {
    const kind = await desk.kind(word);
    await follow(desk, kind, await desk.scopeFor(kind));
  }
}

async function showNamed(desk: CliDesk, targets: readonly Target[]): Promise<undefined> {
  const client = await desk.client();
  const found = await Promise.all(
    targets.map(async ({ kind, scope, name }) => ({
      kind,
      items: [await client.kind(kind).get(scope, name)],
    })),
  );
  await show(desk, found, targets.length === 1);
}

async function showLists(desk: CliDesk, kinds: readonly CliKind[]): Promise<undefined> {
  const client = await desk.client();
  const found = await Promise.all(
    kinds.map(async (kind) => {
      const scope = await desk.scopeFor(kind);
      return { kind, scope, items: await listAll(client.kind(kind), scope, selectionOf(desk.flags)) };
    }),
  );
  const people = isForPeople(desk);
  for (const { kind, scope, items } of found) if (items.length === 0 && people) teachEmpty(desk, kind, scope);
  await show(
    desk,
    found.filter(({ items }) => items.length > 0 || !people),
    false,
  );
}

interface Found {
  readonly kind: CliKind;
  readonly items: readonly Resource[];
}

/** One table per kind; for programs everything is one list. */
async function show(desk: CliDesk, found: readonly Found[], single: boolean): Promise<void> {
  const groups = isForPeople(desk) ? byKind(found) : found;
  if (desk.flags.output === "json" && !single) {
    desk.out(`${JSON.stringify(asList(found.flatMap(({ items }) => items)), null, 2)}\n`);
    return;
  }
  const mixed = groups.length > 1;
  const style = {
    output: desk.flags.output ?? "table",
    width: desk.terminal.width,
    scoped: desk.flags.deep,
    mixed,
    single,
  };
  const texts = await Promise.all(groups.map(({ kind, items }) => printed(kind, items, style)));
  desk.out(texts.join(desk.flags.output === "yaml" ? "---\n" : isForPeople(desk) ? "\n" : ""));
}

function byKind(found: readonly Found[]): Found[] {
  const groups = Map.groupBy(found, ({ kind }) => kind);
  return [...groups].map(([kind, all]) => ({ kind, items: all.flatMap(({ items }) => items) }));
}

function isForPeople(desk: CliDesk): boolean {
  return desk.flags.output === undefined || desk.flags.output === "table" || desk.flags.output === "wide";
}
