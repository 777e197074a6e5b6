import {
  Fault,
  invalidField,
  type Metadata,
  parseDuration,
  sampleMs,
  scopeText,
  usageMeasures,
} from "@reeve/model";
import { z } from "zod";
import type { Context } from "../context.ts";
import { get } from "../operations/get.ts";
import { list } from "../operations/list.ts";
import { type AreaRoute, defineRoute } from "../route.ts";
import { usedNow, usedOverTime } from "./read.ts";

const rangeMostMs = 30 * 86_400_000;
const pointsMost = 10_000;
const pageMost = 500;
const common = { tag: "Usage", demand: "signed-in" } as const;
const units =
  "CPU is in thousandths of a core, memory and disk in bytes, the others in bytes a second. Containers have no `disk`. A null is a gap.";

const length = (what: string) =>
  z.string().regex(/^(\d+[smhd])+$/, { error: `write ${what}, such as 15s, 5m, 1h or 30d` });
const values = <Value extends z.ZodType>(value: Value) =>
  z.strictObject(
    Object.fromEntries(usageMeasures.map((measure) => [measure, value])) as Record<
      (typeof usageMeasures)[number],
      Value
    >,
  );
const figure = z.number().nullable();

/** What hosts, and what is kept on them, use. Whoever may read a resource may see what it uses. */
export function usageRoutes(context: Context): AreaRoute[] {
  const { database, registry } = context;

  function kindOf(plural: string): string {
    const kind = registry.byPlural(plural);
    if (kind === undefined)
      throw new Fault("not_found", `there is no kind ${plural.slice(0, 100)}`, {
        next: "write hosts or services",
      });
    return kind.name;
  }

  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/usage/:kind",
      summary: "What hosts, or the containers of services, use now",
      description: `Of the resources of the kind, \`hosts\` or \`services\`, that you may read in the scope; what was not heard of for a minute is left out. ${units}`,
      query: z.strictObject({
        scope: scopeText.optional().describe("the installation when left out"),
        deep: z.enum(["true", "false", ""], { error: "write true or false" }).optional(),
        continue: z.string().optional().describe("of the page before"),
      }),
      answer: z.strictObject({
        items: z.array(
          z.strictObject({
            scope: z.string(),
            resource: z.string(),
            host: z.string(),
            name: z.string().describe("of the container; empty for a host"),
            at: z.string(),
            values: values(figure),
          }),
        ),
        continue: z.string().optional(),
      }),
      async run({ query, params: { kind = "" }, ...request }) {
        const wanted = {
          kind: kindOf(kind),
          scope: query.scope ?? "",
          deep: query.deep !== undefined && query.deep !== "false",
          ...{ labels: "", fields: "" },
        };
        const page = await list(context, request, wanted, pageMost, query.continue);
        const known = new Map<string, Metadata>(page.items.map(({ metadata }) => [metadata.uid, metadata]));
        const used = await usedNow(database, [...known.keys()]);
        const items = used.map(({ uid, ...one }) => {
          const { scope = "", name: resource = "" } = known.get(uid) ?? {};
          return { scope, resource, ...one };
        });
        return { body: { items, ...(page.continue && { continue: page.continue }) } as never };
      },
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/usage/:kind/:name",
      summary: "What a host, or each container of a service, used over time",
      description: `Samples of 15 s are kept for 24 hours, means of five minutes for 30 days. Each value is the mean of its step. ${units}`,
      query: z.strictObject({
        scope: scopeText.optional().describe("the installation when left out"),
        range: length("how far back").optional().describe("an hour when left out; at most 30d"),
        step: length("a length of time").optional().describe("by the range when left out; at least 15s"),
      }),
      answer: z.strictObject({
        from: z.string(),
        stepMs: z.number(),
        items: z.array(
          z.strictObject({ host: z.string(), name: z.string(), values: values(z.array(figure)) }),
        ),
      }),
      async run({ query, params: { kind = "", name = "" }, ...request }) {
        const resource = await get(context, request, { kind: kindOf(kind), scope: query.scope ?? "", name });
        const grid = gridOf(query.range ?? "1h", query.step);
        const items = await usedOverTime(database, resource.metadata.uid, grid);
        const body = { from: new Date(grid.fromMs).toISOString(), stepMs: grid.stepMs, items };
        return { body: body as never };
      },
    }),
  ];
}

/** Some hundred points, and up to now. */
function gridOf(range: string, step: string | undefined) {
  const rangeMs = parseDuration(range);
  if (rangeMs > rangeMostMs)
    throw invalidField("?range", "no more than 30 days are kept", "write 30d or less");
  const stepMs = step === undefined ? usualStep(rangeMs) : parseDuration(step);
  if (stepMs < sampleMs || rangeMs / stepMs > pointsMost || rangeMs < stepMs)
    throw invalidField(
      "?step",
      `a step is at least 15s, at most the range, and no smaller than a ${pointsMost}th of it`,
    );
  const endMs = Math.ceil(Date.now() / stepMs) * stepMs;
  const count = Math.ceil(rangeMs / stepMs);
  return { fromMs: endMs - count * stepMs, stepMs, count };
}

function usualStep(rangeMs: number): number {
  const wanted = rangeMs / 720;
  return [15_000, 60_000, 300_000, 3_600_000].find((one) => one >= wanted) ?? 3_600_000;
}
