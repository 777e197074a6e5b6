import { z } from "zod";

/** The status fields that every kind has; a kind adds its own with `.extend`. */
export const baseStatus = z.looseObject({
  observedGeneration: z.number().optional(),
  observedAt: z.string().optional(),
  conditions: z
    .array(
      z.object({
        type: z.string(),
        status: z.enum(["true", "false", "unknown"]),
        reason: z.string(),
        message: z.string(),
        since: z.string(),
      }),
    )
    .optional(),
});
