import type { Resource } from "@reeve/model";
import { defineVerb, flag, readInputTexts, text, texts, Usage } from "@reeve/sdk/cli";
import type { WorkflowSpec } from "@reeve/workflows/kinds";
import type { CliDesk } from "../desk.ts";
import { awaitRun, followRun } from "../runs/follow-run.ts";
import { runNamed } from "../runs/meant.ts";
import { headOf, outcomeCode, shortId } from "../runs/words.ts";

export const run = defineVerb<CliDesk>()({
  name: "run",
  group: "change",
  summary: "Begin a run of a workflow",
  args: [{ name: "WORKFLOW", completes: "name" }],
  options: {
    input: texts("KEY=VALUE", "An input; @FILE reads them from YAML or JSON", { short: "i" }),
    follow: flag("Show the run until it has ended; the exit code is its outcome", "f"),
    wait: flag("Wait until it has ended, without the tree"),
    priority: text("N", "Higher goes first (0)"),
    keep: text("RUN", "Go on from a run: with its inputs, and without what succeeded there and is unchanged"),
  },
  example: "reeve run nightly -i day=2026-01-31 --follow\nreeve run nightly --keep 1f2e3d4c",
  async run(desk, { args: [word = ""], options }) {
    const { kind, scope, name } = await desk.target("workflow", word.replace(/^workflows?\//i, ""));
    const client = await desk.client();
    const workflow = (await client.kind(kind).get(scope, name)) as Resource<WorkflowSpec>;
    if (options.keep !== undefined && options.input.length > 0)
      throw new Usage("a run that goes on from another has its inputs", "leave --input or --keep out");
    const start =
      options.keep === undefined
        ? { inputs: readInputTexts(options.input, workflow.spec.inputs ?? {}) }
        : { keep: (await client.runs.get(runNamed(options.keep))).id };
    const priority = options.priority === undefined ? {} : { priority: wholeNumber(options.priority) };
    const id = await client.runs.trigger({ kind, scope, name }, { ...start, ...priority });
    if (!options.follow && !options.wait) {
      if (await desk.data({ run: id })) return 0;
      desk.out(`${id}\n`);
      desk.say(`follow it with: reeve runs show ${shortId(id)} --follow`);
      return 0;
    }
    const ended = options.follow ? await followRun(desk, id) : await awaitRun(desk, id);
    if (options.wait && !options.follow && !(await desk.data(ended)))
      desk.out(`${headOf(ended, Date.now())}\n`);
    return outcomeCode(ended);
  },
});

function wholeNumber(text: string): number {
  if (/^-?\d{1,6}$/.test(text)) return Number(text);
  throw new Usage(`${JSON.stringify(text)} is not a priority`, "write a whole number; higher goes first");
}
