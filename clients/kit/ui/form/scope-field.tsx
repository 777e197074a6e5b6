import { Autocomplete } from "@mantine/core";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { labelProps } from "./label.tsx";
import { useScopes } from "./scopes.ts";

/** A scope, of those that one may see. */
export function ScopeField(props: FieldProps) {
  const { pointer, value, onChange, required } = props;
  const [scopes, ask] = useScopes();
  return (
    <Autocomplete
      {...labelProps(props)}
      error={useFieldError(pointer, value)}
      value={typeof value === "string" ? value : ""}
      onChange={(next) => onChange(next === "" && !required ? undefined : next)}
      onFocus={ask}
      data={scopes}
      placeholder="organization/project"
      classNames={{ input: "mono" }}
      spellCheck={false}
      maw={420}
    />
  );
}
