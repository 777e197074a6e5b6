import { parseDuration } from "@reeve/model";
import type { Client } from "@reeve/sdk";
import { defineVerb, flag, type Target, text, texts, Usage } from "@reeve/sdk/cli";
import { awaitResource } from "../await-resource.ts";
import { type CliDesk, isMissing } from "../desk.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { faultLines } from "../fault-report.ts";
import { loadManifests } from "../manifests/load.ts";
import { holdsText } from "../output/holds.ts";
import { nameOf } from "../output/name-of.ts";

export const remove = defineVerb<CliDesk>()({
  name: "delete",
  group: "change",
  summary: "Delete resources, and wait until they are gone",
  args: [{ name: "KIND/NAME", optional: true, many: true, completes: "target" }],
  options: {
    file: texts("FILE", "Delete what the manifests name", { short: "f", completes: "file" }),
    noWait: flag("Do not wait until it is gone"),
    timeout: text("DURATION", "Wait no longer than this; exit 1 when it is still there"),
    force: flag("End at once, also what finalizers or contents hold"),
    yes: flag("Do not ask", "y"),
    reason: text("TEXT", "Why, for the audit"),
    ignoreMissing: flag("What is not there counts as deleted"),
  },
  example: "reeve delete sa/ci\nreeve delete project/shop --yes\nreeve delete -f team/",
  async run(desk, { args, options }) {
    const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout);
    const targets = await targetsOf(desk, args, options.file);
    if (!options.yes && !(await confirmed(desk, targets))) {
      desk.say("nothing was deleted");
      return exitCodes.no;
    }
    const client = await desk.client();
    let code: number = exitCodes.ok;
    for (const target of targets) {
      try {
        const ended = await removeOne(desk, client, target, { ...options, timeoutMs });
        code ||= ended;
      } catch (error) {
        if (options.ignoreMissing && isMissing(error)) continue;
        code ||= exitCodeOf(error);
        desk.progress("");
        process.stderr.write(`${faultLines(error, nameOf(target.kind, target)).join("\n")}\n`);
      }
    }
    return code;
  },
});

/** `sa/ci user/bob`, `sa ci deployer`, or what the files name; in files, what lives in a scope goes before the scope. */
async function targetsOf(
  desk: CliDesk,
  args: readonly string[],
  files: readonly string[],
): Promise<Target[]> {
  if (files.length > 0 && args.length > 0) throw new Usage("give names or -f, not both");
  if (files.length > 0) {
    const manifests = (await loadManifests(desk, files)).reverse();
    return Promise.all(
      manifests.map(async ({ kind, manifest }) => {
        const { scope, name } = manifest.metadata;
        return { kind: kind ?? (await desk.kind(manifest.kind)), scope, name };
      }),
    );
  }
  const [first = "", ...names] = args;
  if (first === "") throw new Usage("say what to delete", "reeve delete KIND/NAME, or reeve delete -f FILE");
  if (first.includes("/")) return Promise.all(args.map((word) => desk.target(word)));
  if (names.length === 0) throw new Usage(`${first} is a kind; say which one`, `reeve delete ${first}/NAME`);
  return Promise.all(names.map((name) => desk.target(first, name)));
}

/** Only a person can be asked; a script has said what it wants. */
async function confirmed(desk: CliDesk, targets: readonly Target[]): Promise<boolean> {
  const scopes = targets.filter(({ kind }) => kind.opensScope);
  if (scopes.length === 0 || !desk.terminal.interactive) return true;
  const names = scopes.map((target) => nameOf(target.kind, target)).join(", ");
  return desk.ask.confirm(`Delete ${names} with everything in it?`);
}

interface Removing {
  readonly noWait: boolean;
  readonly force: boolean;
  readonly reason: string | undefined;
  readonly timeoutMs: number | undefined;
}

async function removeOne(desk: CliDesk, client: Client, target: Target, options: Removing): Promise<number> {
  const { kind, scope, name } = target;
  const shown = nameOf(kind, target);
  const collection = client.kind(kind);
  const removal = await collection.delete(scope, name, {
    force: options.force,
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  });
  if (removal.leftBehind.length > 0)
    desk.say(`${shown} was ended by force; nobody has undone: ${removal.leftBehind.join(", ")}`);
  if (removal.gone) {
    desk.out(`${shown} deleted\n`);
    return exitCodes.ok;
  }
  const holds = async () =>
    removal.holds.length > 0
      ? removal.holds
      : ((await collection.why(scope, name).catch(() => undefined))?.holds ?? []);
  const held = holdsText(await holds());
  const because = held === "" ? "" : `; held by ${held}`;
  if (options.noWait) {
    desk.out(`${shown} is being deleted${because}\n`);
    return exitCodes.ok;
  }
  if (held === "") desk.progress(`${shown} is being deleted`);
  else desk.say(`${shown} is being deleted${because}`);
  const uid = removal.resource?.metadata.uid;
  const { met } = await awaitResource(
    client,
    target,
    (one) => one === undefined || (uid !== undefined && one.metadata.uid !== uid),
    {
      timeoutMs: options.timeoutMs,
      onLost: (message) => desk.progress(`${message}; connecting again`),
    },
  ).catch((error: unknown) => {
    // The scope it was in went too.
    if (isMissing(error)) return { met: true };
    throw error;
  });
  if (met) desk.out(`${shown} deleted\n`);
  else {
    const still = holdsText((await collection.why(scope, name)).holds);
    desk.say(
      `${shown} is still there${still === "" ? "" : `; held by ${still}`}\nnext: wait on with reeve wait ${shown} --for deleted, or end it with --force`,
    );
  }
  return met ? exitCodes.ok : exitCodes.no;
}
