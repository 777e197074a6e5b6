import {
  type PersonReason,
  personReasons,
  type Run,
  type RunState,
  runStates,
  type Step,
  showScope,
} from "@reeve/model";
import type { Client, RunQuery } from "@reeve/sdk";
import { defineVerb, flag, text, Usage } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";
import { age } from "../output/age.ts";
import { columnWidths, layLines } from "../output/table.ts";
import { printable } from "../output/width.ts";
import { followRun } from "../runs/follow-run.ts";
import { painted } from "../runs/live-tree.ts";
import { runNamed } from "../runs/meant.ts";
import { treeLines } from "../runs/tree.ts";
import { headOf, outcomeCode, shortId, stateWords, took } from "../runs/words.ts";

const shownStandard = 30;
const shownMost = 500;

const list = defineVerb<CliDesk>()({
  name: "runs list",
  group: "read",
  standard: true,
  summary: "List runs, newest first; of one workflow when it is named",
  args: [{ name: "WORKFLOW", optional: true, completes: "name" }],
  options: {
    state: text("STATES", `Only these: ${runStates.join(", ")}; several with commas`, {
      completes: runStates,
    }),
    waiting: text("REASONS", "Only with a step that waits for a person: approval, lost", {
      completes: personReasons,
    }),
    since: text("TIME", "Begun at this time or later: 2026-01-31T12:00:00Z"),
    former: flag("Of workflows that had this name and were deleted"),
    limit: text("N", `How many (${shownStandard})`, { short: "n" }),
    watch: flag("Go on with what changes", "w"),
  },
  example:
    "reeve runs\nreeve runs nightly --state failed\nreeve runs --waiting approval\nreeve runs nightly --former\nreeve runs -w",
  async run(desk, { args: [workflow], options }) {
    const client = await desk.client();
    const query = await queryOf(desk, workflow, options);
    const limit = limitOf(options.limit);
    if (options.watch) return watchList(desk, client, query, limit);
    const items = await firstOf(client, query, limit + 1);
    const shown = items.slice(0, limit);
    if (await desk.data({ items: shown })) return 0;
    if (desk.flags.output === "name") desk.out(shown.map(({ id }) => `${id}\n`).join(""));
    else if (shown.length === 0) teach(desk, query, workflow);
    else {
      const scoped = new Set(shown.map(({ scope }) => scope)).size > 1;
      desk.table(
        titles(scoped),
        shown.map((run) => row(run, scoped)),
      );
      if (items.length > limit) desk.say(`there are more: -n ${limit * 4}`);
    }
    return 0;
  },
});

async function queryOf(
  desk: CliDesk,
  workflow: string | undefined,
  { state, since, waiting, former }: { state?: string; since?: string; waiting?: string; former: boolean },
): Promise<RunQuery> {
  if (former && workflow === undefined)
    throw new Usage("--former needs the name of a workflow", "reeve runs nightly --former");
  const narrow = {
    ...(state === undefined ? {} : { states: state.split(",") as RunState[] }),
    ...(since === undefined ? {} : { since }),
    ...(waiting === undefined ? {} : { waiting: waiting.split(",") as PersonReason[] }),
  };
  if (workflow !== undefined) {
    const { kind, scope, name } = await desk.target("workflow", workflow.replace(/^workflows?\//i, ""));
    return { scope, about: { kind: kind.name, name, former }, ...narrow };
  }
  const { scope } = desk.connection().standing;
  return { ...(scope === "" ? {} : { scope }), ...narrow };
}

async function firstOf(client: Client, query: RunQuery, most: number): Promise<Run[]> {
  const found: Run[] = [];
  for await (const run of client.runs.list(query, Math.min(most, shownMost))) {
    found.push(run);
    if (found.length >= most) break;
  }
  return found;
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return shownStandard;
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new Usage(`${JSON.stringify(text)} is not a number of runs`, "write -n 50");
}

function teach(desk: CliDesk, query: RunQuery, workflow: string | undefined): void {
  const place = query.scope === undefined ? "" : ` in ${showScope(query.scope)}`;
  if (query.states !== undefined || query.since !== undefined || query.waiting !== undefined)
    desk.say(`no runs${place} match`);
  else if (query.about?.former) desk.say(`no runs${place} of a ${workflow} that was deleted`);
  else
    desk.say(
      `no runs${place} yet: reeve run ${workflow ?? "WORKFLOW"}; reeve get workflows lists what can run`,
    );
  if (query.about !== undefined && !query.about.former)
    desk.say(`runs of an earlier ${workflow} that was deleted: reeve runs ${workflow} --former`);
}

function titles(scoped: boolean): string[] {
  return ["Run", ...(scoped ? ["Scope"] : []), "Workflow", "State", "By", "Age", "Took", "Why"];
}

function row(run: Run, scoped: boolean): string[] {
  const by = run.cause === "person" ? run.by.replace(/^user:/, "") : run.cause;
  return [
    shortId(run.id),
    ...(scoped ? [run.scope || "-"] : []),
    run.about.name,
    stateWords(run),
    by,
    age(run.createdAt),
    took(run.startedAt, run.endedAt, Date.now()) || "-",
    run.why || (run.waits === undefined ? "" : `${run.waits.step}: ${run.waits.why}`),
  ];
}

/** The first rows decide the widths; later rows keep to them. */
async function watchList(desk: CliDesk, client: Client, query: RunQuery, limit: number): Promise<undefined> {
  const wide = desk.flags.output === "wide" ? Number.POSITIVE_INFINITY : desk.terminal.width;
  let waiting: string[][] | undefined = [];
  let widths: number[] = [];
  const put = (rows: readonly string[][]) =>
    desk.out(
      layLines(rows, widths)
        .map((line) => `${line}\n`)
        .join(""),
    );
  const onLost = (fault: Error) => desk.progress(`${fault.message}; connecting again`);
  for await (const news of client.runs.followList(query, Math.min(limit, shownMost), { onLost })) {
    if ("run" in news && desk.flags.output === "json") desk.out(`${JSON.stringify(news.run)}\n`);
    else if ("run" in news) {
      const line = row(news.run, true).map(printable);
      if (waiting === undefined) put([line]);
      else waiting.push(line);
    } else if ("synced" in news && waiting !== undefined && desk.flags.output !== "json") {
      const lines = [titles(true).map((title) => title.toUpperCase()), ...waiting];
      widths = columnWidths([...lines, ["x".repeat(8), "x".repeat(12), "x".repeat(12), "succeeded"]], wide);
      waiting = undefined;
      put(lines);
    }
  }
}

/** Of a fan-out, those that say most are listed; the counts tell of the rest. */
const itemsListed = 20;

const show = defineVerb<CliDesk>()({
  name: "runs show",
  group: "read",
  summary: "Show a run: its steps, how long they took, and what they wait for",
  args: [{ name: "RUN" }],
  options: { follow: flag("Go on until it has ended; the exit code is its outcome", "f") },
  example: "reeve runs show 1f2e3d4c\nreeve runs show 1f2e3d4c --follow",
  async run(desk, { args: [word = ""], options }) {
    const client = await desk.client();
    const id = runNamed(word);
    if (options.follow) return outcomeCode(await followRun(desk, id));
    const [run, steps] = await Promise.all([client.runs.get(id), stepsOf(client, id)]);
    if (await desk.data({ run, steps })) return 0;
    const now = Date.now();
    desk.out(`${printable(headOf(run, now))}\n`);
    desk.out(
      `  ${run.about.kind} ${run.scope === "" ? "" : `${run.scope}/`}${run.about.name}, generation ${run.about.generation}; by ${run.by || run.cause}, ${age(run.createdAt)} ago; ${run.id}\n`,
    );
    const inputs = Object.entries(run.inputs);
    if (inputs.length > 0)
      desk.out(`  inputs: ${printable(inputs.map(([key, value]) => `${key}=${plain(value)}`).join(", "))}\n`);
    const size = { width: desk.terminal.width, height: Number.MAX_SAFE_INTEGER };
    for (const { state, text } of treeLines(run, steps, size, now)) desk.out(`${painted(state, text)}\n`);
    const outputs = Object.entries(run.outputs ?? {});
    if (outputs.length > 0)
      desk.out(`outputs: ${printable(outputs.map(([key, value]) => `${key}=${plain(value)}`).join(", "))}\n`);
    return 0;
  },
});

async function stepsOf(client: Client, run: string): Promise<Step[]> {
  const steps: Step[] = [];
  for await (const step of client.runs.steps(run, { parent: "none" })) steps.push(step);
  for (const { seq, items } of steps.filter((step) => step.items !== undefined)) {
    const states = (["failed", "running", "waiting"] as const).filter((state) => items?.[state]);
    if (states.length === 0) continue;
    let left = itemsListed;
    for await (const item of client.runs.steps(run, { parent: seq, states })) {
      steps.push(item);
      if (--left === 0) break;
    }
  }
  return steps;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export const runsVerbs = [list, show];
