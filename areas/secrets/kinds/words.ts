import { isName, nameRule, parseScope } from "@reeve/model";
import { z } from "zod";

/** Short free text, one line. */
export const line = z.string().max(200);

export const secretName = z.string().refine(isName, { error: `not a valid name: ${nameRule}` });

/** One value of a secret: `password`, `tls.crt`, `AWS_SECRET_ACCESS_KEY`. */
export const secretKey = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, {
  error: "use 1 to 128 letters, digits, '_', '-' and '.', not beginning with '-' or '.'",
});

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
