import { Autocomplete } from "@mantine/core";
import { type JsonObject, showScope } from "@reeve/model";
import { useContext } from "react";
import type { FieldProps } from "./field-view.tsx";
import { FormContext, useFieldError } from "./form-context.ts";
import { labelProps, usual } from "./label.tsx";
import { useNames } from "./names.ts";

/** The name of a resource: those that there are can be chosen, one that is still to be made can be typed. */
export function NameField(props: FieldProps & { readonly kind: string }) {
  const { at, pointer, value, onChange, required, around } = props;
  const { scope } = useContext(FormContext);
  const kind = kindNamed(props.kind, around);
  const [names, ask] = useNames(kind, scope);
  return (
    <Autocomplete
      {...labelProps(props)}
      error={useFieldError(pointer, value)}
      value={typeof value === "string" ? value : ""}
      onChange={(next) => onChange(next === "" && !required ? undefined : next)}
      onFocus={ask}
      data={names}
      placeholder={
        usual(at) ?? (kind === undefined ? "name" : `name of a ${kind} in ${showScope(scope)} or above`)
      }
      classNames={{ input: "mono" }}
      spellCheck={false}
      maw={420}
    />
  );
}

/** `1/kind` is the field beside it that names the kind. */
function kindNamed(hint: string, around: JsonObject | undefined): string | undefined {
  if (!hint.startsWith("1/")) return hint;
  const named = around?.[hint.slice(2)];
  return typeof named === "string" ? named : undefined;
}
