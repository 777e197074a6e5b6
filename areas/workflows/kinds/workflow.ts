import { baseStatus, defineKind, duration, no, type Resource, type Verdict, yes } from "@reeve/model";
import { z } from "zod";
import { backfillInput, backfillOutput } from "./backfill.ts";
import { inputsSpec } from "./inputs.ts";
import { keepSpec, notifySpec, slaSpec } from "./notify.ts";
import { scheduleSpec } from "./schedule.ts";
import { stepSpec } from "./step.ts";
import { webhookSpec } from "./webhook.ts";
import { environment, json, variableName } from "./words.ts";

const stepsLimit = 500;
export const manyLimit = 10_000;

const priority = z.int().min(-1000).max(1000);

const begun = z.strictObject({
  inputs: z.record(z.string(), json).optional(),
  priority: priority.optional(),
});

export const triggerInput = begun.extend({
  keep: z
    .uuid()
    .optional()
    .describe(
      "An ended run of this workflow. The new one has its inputs, and does not do again what succeeded there and is written as it was.",
    ),
});

export const triggerManyInput = z.strictObject({
  runs: z.array(begun).min(1).max(manyLimit),
});

export const workflowSpec = z.strictObject({
  description: z.string().max(2000).optional(),
  inputs: inputsSpec.optional(),
  env: environment.optional().describe("Of all scripts; may speak of inputs, run and secrets."),
  steps: z.array(stepSpec).min(1, { error: "there is nothing to do" }).max(stepsLimit),
  outputs: z.record(variableName, json).optional().describe("What a run gives back."),
  concurrency: z
    .strictObject({
      key: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe("Runs with the same key share the limit; the workflow's own when left out."),
      most: z.int().min(1).max(100_000).default(1),
      over: z
        .enum(["queue", "cancel", "skip"])
        .default("queue")
        .describe("queue waits; cancel cancels older runs; skip gives the new one up."),
    })
    .optional(),
  timeout: duration.optional().describe("Over it, a run is cancelled and counts as failed."),
  priority: priority.optional().describe("Of its runs; higher goes first."),
  schedules: z.array(scheduleSpec).max(50).optional(),
  webhooks: z.array(webhookSpec).max(50).optional(),
  notify: z.array(notifySpec).max(50).optional().describe("Who is told how its runs ended."),
  sla: slaSpec.optional().describe("Over it, a run is late: shown, and told to whom it may concern."),
  keep: keepSpec.optional().describe("How long its runs are kept; the installation's time when left out."),
});

export const Workflow = defineKind({
  name: "Workflow",
  plural: "workflows",
  shortNames: ["wf"],
  summary: "Steps in an order, done by agents: begun by people, schedules, webhooks and other workflows.",
  levels: ["installation", "organization", "project", "workspace"],
  spec: workflowSpec,
  status: baseStatus,
  readByDatabase: ["spec.notify"],
  columns: [
    { title: "Steps", value: ({ spec }) => spec.steps.length },
    { title: "Inputs", value: ({ spec }) => Object.keys(spec.inputs ?? {}).join(", ") },
    { title: "State", value: ({ metadata }) => (metadata.paused ? "paused" : "active") },
    { title: "Description", wide: true, value: ({ spec }) => spec.description },
  ],
  actions: {
    trigger: {
      summary: "Begin a run.",
      input: triggerInput,
      output: z.strictObject({ run: z.string() }),
      can: canBegin,
    },
    "trigger-many": {
      summary: `Begin up to ${manyLimit} runs at once, all or none.`,
      input: triggerManyInput,
      output: z.strictObject({ runs: z.array(z.string()) }),
      can: canBegin,
    },
    backfill: {
      summary: "Begin the runs of a schedule's ticks in a time that is over.",
      input: backfillInput,
      output: backfillOutput,
      can: canBegin,
    },
  },
  example: `apiVersion: reeve/v1
kind: Workflow
metadata:
  scope: acme/shop
  name: greet
spec:
  inputs:
    name: { default: world }
  steps:
    - name: hello
      run: |
        echo "hello \${{ inputs.name }}"
        echo "length=\${#name}" >> "$REEVE_OUTPUTS"
      env:
        name: \${{ inputs.name }}
    - name: report
      when: \${{ int(steps.hello.outputs.length) > 3 }}
      run: echo "a name of \${{ steps.hello.outputs.length }} letters"
`,
});

export type WorkflowSpec = z.infer<typeof workflowSpec>;

/** A paused workflow begins nothing, whoever asks; what runs goes on. */
export function canBegin({ metadata }: Pick<Resource, "metadata">): Verdict {
  if (metadata.deletingAt !== undefined) return no("the workflow is being deleted");
  return metadata.paused ? no("the workflow is paused; resume it first") : yes;
}
