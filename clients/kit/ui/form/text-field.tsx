import { PasswordInput, Textarea, TextInput } from "@mantine/core";
import { hints } from "@reeve/model";
import type { TextShape } from "../schema/shape.ts";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { labelProps, usual } from "./label.tsx";
import { NameField } from "./name-field.tsx";
import { ScopeField } from "./scope-field.tsx";

const examples: Readonly<Record<string, string>> = {
  [hints.duration]: "90s, 15m, 12h, 30d",
  "date-time": "2027-01-31T00:00:00Z",
};

export function TextField(props: FieldProps & { readonly shape: TextShape }) {
  const { at, pointer, value, onChange, required, shape } = props;
  const error = useFieldError(pointer, value);
  if (shape.kind !== undefined) return <NameField {...props} kind={shape.kind} />;
  if (shape.format === hints.scope) return <ScopeField {...props} />;
  const parts = {
    ...labelProps(props),
    error,
    value: value === undefined || value === null ? "" : String(value),
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange(currentTarget.value === "" && !required ? undefined : currentTarget.value),
    placeholder: usual(at) ?? examples[shape.format ?? ""],
    spellCheck: false,
  };
  if (shape.writeOnly) return <PasswordInput {...parts} autoComplete="new-password" />;
  if (shape.long)
    return (
      <Textarea
        {...parts}
        rows={rowsFor(parts.value, shape.code ? 3 : 1)}
        classNames={shape.code ? { input: "mono" } : {}}
      />
    );
  return <TextInput {...parts} maw={shape.format === hints.duration ? 240 : undefined} />;
}

/** As many rows as there are lines, within reason. Mantine's own way of growing adds styles that the page's policy refuses. */
export function rowsFor(text: string, least: number): number {
  return Math.min(24, Math.max(least, text.split("\n").length));
}
