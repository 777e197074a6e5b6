import { duration, hints, nameOf, nameText, parseLabelSelector } from "@reeve/model";
import { z } from "zod";
import { environment, expression, json } from "./words.ts";

const bodies = ["run", "python", "http", "workflow", "approve", "wait", "make", "uses"] as const;

const text = z.string().max(2000);

const approval = z.union([
  text.min(1),
  z.strictObject({ text: text.min(1), expires: duration.optional().describe("Then it counts as rejected.") }),
]);

const retry = z.strictObject({
  times: z.int().min(1).max(1000).describe("Further attempts after the first."),
  delay: duration.default("10s"),
  factor: z.number().min(1).max(100).optional().describe("Each delay is this many times the one before."),
  most: duration.optional().describe("The longest delay."),
});

const timeouts = z.strictObject({
  start: duration.optional().describe("From ready until an agent has begun."),
  finish: duration
    .optional()
    .describe("One attempt, from begun until ended; of workflow, the run that it begins."),
  overall: duration.optional().describe("All attempts together, with the waits between them."),
  heartbeat: duration
    .optional()
    .describe("Without output or a touched $REEVE_HEARTBEAT for this long, the attempt is ended."),
});

const selector = z.string().superRefine((written, context) => {
  try {
    if (!written.includes("${{")) parseLabelSelector(written);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

export const stepSpec = z
  .strictObject({
    name: nameText,
    description: text.optional(),
    run: z.string().meta({ contentMediaType: hints.shell }).optional().describe("A shell script."),
    python: z.string().meta({ contentMediaType: hints.python }).optional().describe("A Python script."),
    http: z.record(z.string(), json).optional().describe("A request: method, url, headers, body, expect."),
    workflow: z
      .strictObject({ name: nameOf("Workflow"), inputs: z.record(z.string(), json).optional() })
      .optional()
      .describe("A run of another workflow, of this scope or the nearest above; the step ends as it ends."),
    approve: approval.optional().describe("Waits until a person approves or rejects."),
    wait: duration.optional().describe("Waits for a time."),
    make: z
      .strictObject({ kind: z.string(), spec: z.record(z.string(), json).optional() })
      .optional()
      .describe("Makes a resource, such as a Backup, and waits until it is good. Done by the server itself."),
    uses: nameText.optional().describe("The name of an executor; `with` is what it is given."),
    with: z
      .record(z.string(), json)
      .optional()
      .describe("For the executor: of scripts cwd, user, umask, nice, memory, cpus, shell."),
    env: environment.optional().describe("Of scripts; on top of the workflow's."),
    needs: z
      .array(nameText)
      .max(1000)
      .optional()
      .describe(
        "Steps that must have ended before. The step written before, when left out; [] begins at once.",
      ),
    rule: z
      .enum(["all-succeeded", "any-succeeded", "all-done", "any-failed"])
      .optional()
      .describe("How those must have ended. all-succeeded, of cleanup steps all-done, when left out."),
    when: expression.optional().describe("False skips the step."),
    each: z
      .union([z.array(json).max(10_000), expression])
      .optional()
      .describe("Done once for each item: `item`, `index`."),
    atOnce: z.int().min(1).max(10_000).optional().describe("Of `each`: how many are under way at once."),
    cleanup: z
      .boolean()
      .optional()
      .describe("Also done when the run fails or is cancelled. Needs all other steps, unless it says so."),
    mayFail: z.boolean().optional().describe("Its failure does not make the run fail."),
    retry: retry.optional(),
    timeouts: timeouts.optional(),
    limit: z
      .strictObject({ key: z.string().min(1).max(500), most: z.int().min(1).max(100_000) })
      .optional()
      .describe(
        "How many steps with this key are under way at once, over all runs of the scope. Not with atOnce.",
      ),
    priority: z.int().min(-1000).max(1000).optional().describe("Higher goes first; 0 when left out."),
    selector: selector
      .optional()
      .describe("Labels of the hosts that may do it: zone=a,disk!=hdd; may hold ${{ }}."),
    effect: z
      .enum(["at-least-once", "at-most-once"])
      .optional()
      .describe("at-most-once: never begun a second time unless a person says so."),
    exclusive: z.boolean().optional().describe("Two attempts never overlap, also when a host is cut off."),
  })
  .superRefine((step, context) => {
    const wrong = (path: string | string[], message: string) =>
      context.addIssue({ code: "custom", path: [path].flat(), message });
    const given = bodies.filter((body) => step[body] !== undefined);
    if (given.length === 0)
      context.addIssue({
        code: "custom",
        message: `says nothing to do: give it one of ${bodies.join(", ")}`,
      });
    for (const body of given.slice(1))
      wrong(body, `a step does one thing, and this one has ${given[0]} already`);
    for (const script of ["run", "python"] as const)
      if (step[script]?.trim() === "") wrong(script, "is empty");
    const [body] = given;
    const isScript = body === "run" || body === "python";
    if (step.env !== undefined && !isScript) wrong("env", "is for run and python");
    if (step.with !== undefined && !isScript && body !== "uses") wrong("with", "is for run, python and uses");
    for (const own of ["script", "env"])
      if (isScript && step.with !== undefined && Object.hasOwn(step.with, own))
        wrong("with", `${own} has a field of its own`);
    if (step.atOnce !== undefined && step.each === undefined) wrong("atOnce", "is for steps with each");
    if (step.atOnce !== undefined && step.limit !== undefined)
      wrong(
        "limit",
        "is not for a step with atOnce: an item has its place under one of them. Leave atOnce out, or give the limit to the step of another workflow, and begin that one here for each item",
      );
    if (body !== undefined) refuseIdle(step, body, wrong);
  });

export type StepSpec = z.infer<typeof stepSpec>;

/** What of `timeouts` those bodies have that no agent does. */
const timeoutsOf: Partial<Record<(typeof bodies)[number], readonly string[]>> = {
  workflow: ["finish", "overall"],
  make: ["finish", "overall"],
  approve: [],
  wait: [],
};

/** What would silently do nothing. */
function refuseIdle(
  { retry, timeouts = {} }: Pick<StepSpec, "retry" | "timeouts">,
  body: (typeof bodies)[number],
  wrong: (path: string | string[], message: string) => void,
): void {
  const known = timeoutsOf[body];
  if (known === undefined) return;
  const has = known.length > 0 ? `has ${known.join(" and ")}` : "has none";
  for (const name of Object.keys(timeouts))
    if (!known.includes(name)) wrong(["timeouts", name], `is for what agents do; ${body} ${has}`);
  if (retry !== undefined && known.length === 0) wrong("retry", `is not for ${body}: there is one attempt`);
}
