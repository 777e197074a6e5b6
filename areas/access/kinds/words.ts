import { line } from "@reeve/model";
import { z } from "zod";

/** What a scope says about itself. */
export const scopeSpec = z.strictObject({
  displayName: line.optional().describe("The name people read."),
  description: z.string().max(2000).optional(),
});
