import { z } from "zod";
import { parseDuration } from "./duration.ts";
import { isName, nameRule } from "./name.ts";
import { parseScope } from "./scope.ts";
import { parseLabelSelector } from "./selector.ts";

/** Parts of specs that many kinds have. What forms should know of them travels in the JSON Schema, by the names of `hints`. */

/** Short free text, one line. */
export const line = z.string().max(200);

export const nameText = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

/** Keywords and values of JSON Schema that say how a text is best asked for. */
export const hints = {
  /** The kind whose resources it names: forms offer those that there are. */
  kind: "x-kind",
  duration: "reeve-duration",
  scope: "reeve-scope",
  shell: "text/x-shellscript",
  python: "text/x-python",
} as const;

/** The name of a resource of this kind, in the scope of what speaks of it or above. */
export function nameOf(kind: string) {
  return nameText.meta({ [hints.kind]: kind });
}

/** `90s`, `5m`, `1d12h`. */
export const duration = z
  .string()
  .superRefine((text, context) => {
    try {
      if (parseDuration(text) === 0)
        context.addIssue({ code: "custom", message: "must be longer than nothing" });
    } catch {
      context.addIssue({ code: "custom", message: "write a number with a unit: 90s, 15m, 12h, 30d" });
    }
  })
  .meta({ format: hints.duration });

/** What a variable of a process may be called. */
export const environmentName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
    error: "use letters, digits and '_', not beginning with a digit",
  })
  .refine((name) => !name.startsWith("REEVE_"), { error: "names with REEVE_ are Reeve's own" });

/** Which resources are meant, by their labels: `zone=a,disk!=hdd`. */
export const labelSelector = z.string().superRefine((text, context) => {
  try {
    parseLabelSelector(text);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

export const scopeText = z
  .string()
  .refine(isScope, {
    error: "write it as organization, organization/project or organization/project/workspace",
  })
  .meta({ format: hints.scope });

function isScope(text: string): boolean {
  try {
    parseScope(text);
    return true;
  } catch {
    return false;
  }
}
