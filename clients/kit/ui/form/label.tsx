import { describedBy, type SchemaAt } from "../schema/schema.ts";
import type { FieldProps } from "./field-view.tsx";

/** The key as it is written in YAML, so that form and text speak of the same thing, and what it is for. */
export function labelProps({
  label,
  pointer,
  at,
  required,
}: Pick<FieldProps, "label" | "pointer" | "at" | "required">) {
  const description = describedBy(at);
  return {
    ...(label === undefined ? { "aria-label": pointer } : { label, labelProps: { className: "mono" } }),
    ...(description === undefined || label === undefined ? {} : { description }),
    withAsterisk: required && label !== undefined,
  };
}

/** What counts when nothing is written. */
export function usual({ schema }: SchemaAt): string | undefined {
  const { default: given } = schema;
  return given === undefined || typeof given === "object" ? undefined : String(given);
}
