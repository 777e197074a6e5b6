import type { core } from "zod";

const words: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** What zod has to say, in our words: what is missing is required, and either way it is said what would fit. */
export function fieldWords(issue: core.$ZodRawIssue): string | undefined {
  const fits = whatFits(issue);
  if (isMissing(issue)) return fits === undefined ? "is required" : `is required (${fits})`;
  return fits && `must be ${fits}`;
}

function isMissing(issue: core.$ZodRawIssue): boolean {
  if (issue.code === "custom") return false;
  const { discriminator } = issue as { discriminator?: string };
  if (discriminator === undefined) return issue.input === undefined;
  return (issue.input as Readonly<Record<string, unknown>>)[discriminator] === undefined;
}

function whatFits(issue: core.$ZodRawIssue): string | undefined {
  if (issue.code === "invalid_type") return words[issue.expected as string];
  if (issue.code === "invalid_value") return oneOf(issue.values as readonly unknown[]);
  if (issue.code !== "invalid_union") return undefined;
  if ("discriminator" in issue) return oneOf((issue.options ?? []) as readonly unknown[]);
  const types = (issue.errors as readonly core.$ZodIssue[][]).map(([first]) =>
    first?.code === "invalid_type" && first.path.length === 0 ? words[first.expected] : undefined,
  );
  return types.includes(undefined) ? undefined : [...new Set(types)].join(" or ");
}

function oneOf(values: readonly unknown[]): string {
  const shown = values.map((value) => JSON.stringify(value)).join(", ");
  return values.length === 1 ? shown : `one of ${shown}`;
}
