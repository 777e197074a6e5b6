import { line } from "@reeve/model";
import { z } from "zod";

/** What a scope says about itself. */
export const scopeSpec = z.strictObject({
  displayName: line.optional().describe("The name people read."),
  description: z.string().max(2000).optional(),
});

/** Permissions by name. */
export const permissionWords = z
  .array(
    z.string().regex(/^([a-z]+|\*):([a-z-]+|\*)$/, {
      error: "write it as plural:verb, such as projects:update, projects:* or *:read",
    }),
  )
  .min(1)
  .max(500);
