import { environmentName, splitTemplate } from "@reeve/model";
import { z } from "zod";

/** Parts that several fields of a workflow have. */

/** A text that is one single `${{ expression }}`. */
export const expression = z.string().refine((text) => bareExpression(text) !== undefined, {
  error: "write one expression: ${{ … }}",
});

/** What stands inside of a text that is one single `${{ }}`. */
export function bareExpression(text: string): string | undefined {
  try {
    const [only, ...more] = splitTemplate(text.trim());
    return only !== undefined && more.length === 0 && "expression" in only ? only.expression : undefined;
  } catch {
    return undefined;
  }
}

/** Inputs and outputs are spoken of in expressions as `inputs.name`, so they are words there. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, {
  error: "use letters, digits and '_', not beginning with a digit",
});

export const environment = z.record(
  environmentName,
  z.union([z.string(), z.number(), z.boolean()]).transform(String),
);

export const json = z.json();
