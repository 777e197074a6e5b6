import { nameText } from "@reeve/model";
import { z } from "zod";

const backfillMost = 10_000;

const moment = z.iso.datetime({ offset: true, error: "write a time as 2026-11-15T08:00:00Z" });

export const backfillInput = z.strictObject({
  schedule: nameText.describe("Whose ticks."),
  from: moment.describe("The first tick at or after this moment."),
  until: moment.describe("The last tick before this moment, which must be over."),
  most: z.int().min(1).max(backfillMost).default(1000).describe("Refuse to begin more runs than this."),
  newestFirst: z.boolean().optional(),
  again: z.boolean().optional().describe("Also ticks that have had their run."),
  dryRun: z.boolean().optional().describe("Only tell which ticks would run."),
});

export const backfillOutput = z.strictObject({
  backfill: z.string().optional().describe("Its id; none when there was nothing to begin."),
  runs: z.array(z.strictObject({ tick: z.string(), run: z.string().optional() })),
  known: z.number().describe("Ticks that were left out because they have had their run."),
});
