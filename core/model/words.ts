import { z } from "zod";
import { isName, nameRule } from "./name.ts";
import { parseScope } from "./scope.ts";

/** Parts of specs that many kinds have. */

/** Short free text, one line. */
export const line = z.string().max(200);

export const nameText = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

export const scopeText = z.string().refine(isScope, {
  error: "write it as organization, organization/project or organization/project/workspace",
});

function isScope(text: string): boolean {
  try {
    parseScope(text);
    return true;
  } catch {
    return false;
  }
}
