import { isName, nameRule } from "@reeve/model";
import { z } from "zod";

/** Short free text, one line. */
export const line = z.string().max(200);

export const nameText = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

/** What a scope says about itself. */
export const scopeSpec = z.strictObject({
  displayName: line.optional().describe("The name people read."),
  description: z.string().max(2000).optional(),
});
