import { duration, type JsonObject, nameOf, parseDuration } from "@reeve/model";
import { z } from "zod";

/** What a channel can be told of. `late` is a run that missed its SLA, as soon as it has. */
const notifyEvents = ["succeeded", "failed", "cancelled", "skipped", "late"] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

export const notifySpec = z.strictObject({
  on: z.array(z.enum(notifyEvents)).min(1).describe("Of which endings, and whether of late runs."),
  channel: nameOf("Channel").describe(
    "A Channel of this scope or of one above it, the nearest of that name.",
  ),
});

/** Times count from the tick a run stands for, or else from when it was asked for, as they do for one that goes on from another. */
export const slaSpec = z
  .strictObject({
    startWithin: duration.optional().describe("A step of it must have begun by then."),
    finishWithin: duration.optional().describe("It must have ended by then."),
  })
  .refine((sla) => sla.startWithin !== undefined || sla.finishWithin !== undefined, {
    error: "give startWithin or finishWithin",
  });

/** How long its runs are kept, instead of the installation's time; whatever comes first. */
export const keepSpec = z.strictObject({
  runs: z.int().min(1).max(1_000_000).optional().describe("Only so many, the newest."),
  days: z.number().min(0.01).max(36_500).optional().describe("So many days after they have ended."),
});

export interface Promises {
  readonly notify?: readonly z.infer<typeof notifySpec>[] | undefined;
  readonly sla?: z.infer<typeof slaSpec> | undefined;
}

/** What a run's graph carries as its `ending`: what it takes to judge and to tell how it went, of the generation it ran. */
export interface Ending {
  readonly notify: readonly { readonly on: readonly NotifyEvent[]; readonly channel: string }[];
  readonly startWithinMs?: number;
  readonly finishWithinMs?: number;
}

export function endingOf({ notify = [], sla }: Promises): JsonObject | undefined {
  if (notify.length === 0 && sla === undefined) return undefined;
  const ending: Ending = {
    notify,
    ...(sla?.startWithin && { startWithinMs: parseDuration(sla.startWithin) }),
    ...(sla?.finishWithin && { finishWithinMs: parseDuration(sla.finishWithin) }),
  };
  return ending as unknown as JsonObject;
}
