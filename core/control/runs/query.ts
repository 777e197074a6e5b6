import {
  Fault,
  invalidField,
  parseScope,
  personReasons,
  type Registry,
  runCauses,
  runStates,
  type Scope,
  stepStates,
} from "@reeve/model";
import type { RunFilter } from "@reeve/store/runs";
import { z } from "zod";

const pagesMost = 500;

export const scopeQuery = z
  .string()
  .superRefine((text, issue) => {
    try {
      parseScope(text);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      issue.addIssue({ code: "custom", message: error.next ?? error.message });
    }
  })
  .describe("with everything below it; all that you may see when left out");
const time = z.iso.datetime({ offset: true, error: "write a time such as 2026-01-31T12:00:00Z" });
const about = z
  .string()
  .regex(/^[A-Za-z]+\/[a-z0-9.-]+$/, { error: "write KIND/NAME, as Workflow/nightly" })
  .describe("the definition: Workflow/nightly");

/** Several, with commas between them. */
function words<const Word extends string>(known: readonly Word[]) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(z.enum(known, { error: `write any of ${known.join(", ")}` })))
    .describe(`any of ${known.join(", ")}; several with commas`);
}

export function whole(least: number, most: number) {
  const error = `write a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^\d{1,16}$/, { error })
    .transform(Number)
    .pipe(z.int().min(least, { error }).max(most, { error }));
}

const yesOrNo = z
  .enum(["true", "false", ""], { error: "write true or false" })
  .transform((text) => text !== "false");

const filterFields = {
  scope: scopeQuery.optional(),
  about: about.optional(),
  state: words(runStates).optional(),
  cause: z.enum(runCauses, { error: `write one of ${runCauses.join(", ")}` }).optional(),
  since: time.optional().describe("begun at this time or later"),
  until: time.optional().describe("begun before this time"),
  waiting: words(personReasons).optional().describe("with a step that waits for a person: approval, lost"),
};

export const listQuery = z.strictObject({
  ...filterFields,
  former: yesOrNo
    .optional()
    .describe(
      "with `about`: the runs of definitions that had this name and were deleted, not those of the present one",
    ),
  limit: whole(1, pagesMost).optional().describe(`1 to ${pagesMost}; 100 when left out`),
  continue: z.uuid({ error: "this is not a token of a page before; begin again without it" }).optional(),
  watch: yesOrNo.optional().describe("a stream of the newest runs and their changes"),
});

const latestMost = { definitions: 200, each: 50 };

export const latestQuery = z.strictObject({
  of: z
    .string()
    .transform((text) => text.split(","))
    .pipe(
      z
        .array(z.uuid({ error: "write uids of definitions, with commas between them" }))
        .max(latestMost.definitions, { error: `ask for at most ${latestMost.definitions} definitions` }),
    )
    .describe(`uids of definitions, up to ${latestMost.definitions} with commas between them`),
  each: whole(1, latestMost.each).optional().describe(`1 to ${latestMost.each}; 20 when left out`),
});

export const ratesQuery = z.strictObject({
  scope: scopeQuery.optional(),
  hours: whole(1, 24 * 7)
    .optional()
    .describe("1 to 168; 24 when left out"),
});

export const getQuery = z.strictObject({
  watch: yesOrNo.optional().describe("a stream of the run and its steps as they change"),
});

export const stepsQuery = z.strictObject({
  parent: z
    .union([z.literal("none"), whole(0, Number.MAX_SAFE_INTEGER)], {
      error: "write `none` or the seq of a fan-out",
    })
    .optional()
    .describe("only the items of this fan-out; `none` leaves all items out"),
  seq: whole(0, Number.MAX_SAFE_INTEGER).optional().describe("only this step or item"),
  state: words(stepStates).optional(),
  limit: whole(1, 1000).optional().describe("1 to 1000; 200 when left out"),
  continue: whole(0, Number.MAX_SAFE_INTEGER).optional(),
});

export const eventsQuery = z.strictObject({
  limit: whole(1, 1000).optional().describe("1 to 1000; 200 when left out"),
  continue: z.uuid({ error: "this is not a token of a page before; begin again without it" }).optional(),
});

export const attemptsQuery = z.strictObject({
  limit: whole(1, 1000).optional().describe("1 to 1000; 200 when left out"),
  continue: z
    .string()
    .regex(/^\d{1,15}\.\d{1,15}$/, { error: "this is not a token of a page before; begin again without it" })
    .optional(),
});

const { waiting: _, ...cancelFields } = filterFields;

export const cancelBody = z.strictObject({
  ...cancelFields,
  scope: scopeQuery,
  state: z.array(z.enum(["queued", "running"])).optional(),
  why: z.string().max(500).optional(),
});

type Given = Pick<
  z.infer<typeof listQuery>,
  "about" | "former" | "state" | "cause" | "since" | "until" | "waiting"
>;

/** What was asked for, of those scopes. */
export function filterOf(registry: Registry, scopes: readonly Scope[], given: Given): RunFilter {
  return {
    scopes,
    about: aboutOf(registry, given),
    states: given.state,
    cause: given.cause,
    since: given.since,
    until: given.until,
    waiting: given.waiting,
  };
}

function aboutOf(registry: Registry, { about: text, former = false }: Given): RunFilter["about"] {
  if (text === undefined) {
    if (former)
      throw invalidField(
        "?former",
        "says nothing without ?about",
        "name the definition: ?about=Workflow/nightly",
      );
    return undefined;
  }
  const [word = "", name = ""] = text.split("/");
  const kind = registry.kinds.find((one) => one.name.toLowerCase() === word.toLowerCase());
  if (kind === undefined)
    throw invalidField("?about", `there is no kind ${word}`, "write KIND/NAME, as Workflow/nightly");
  return { kind: kind.name, name, former };
}
