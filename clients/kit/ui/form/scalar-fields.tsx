import { Checkbox, NumberInput, Select } from "@mantine/core";
import type { Json } from "@reeve/model";
import { useEffect } from "react";
import { describedBy } from "../schema/schema.ts";
import type { Shape } from "../schema/shape.ts";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { labelProps, usual } from "./label.tsx";

export function NumberField(props: FieldProps & { readonly shape: Extract<Shape, { shape: "number" }> }) {
  const { at, pointer, value, onChange, shape } = props;
  return (
    <NumberInput
      {...labelProps(props)}
      error={useFieldError(pointer)}
      value={typeof value === "number" ? value : ""}
      onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
      placeholder={usual(at)}
      allowDecimal={!shape.whole}
      {...(shape.least === undefined ? {} : { min: shape.least })}
      {...(shape.most === undefined ? {} : { max: shape.most })}
      clampBehavior="none"
      maw={240}
    />
  );
}

/** What is as it would be without a word is left out. */
export function ToggleField({ at, label, pointer, value, onChange, required }: FieldProps) {
  const byDefault = at.schema.default === true;
  return (
    <Checkbox
      label={label ?? "yes"}
      classNames={{ label: "mono" }}
      description={describedBy(at)}
      error={useFieldError(pointer)}
      checked={typeof value === "boolean" ? value : byDefault}
      onChange={({ currentTarget: { checked } }) =>
        onChange(checked === byDefault && !required ? undefined : checked)
      }
    />
  );
}

export function PickField(props: FieldProps & { readonly options: readonly Json[] }) {
  const { at, pointer, value, onChange, required, options } = props;
  return (
    <Select
      {...labelProps(props)}
      error={useFieldError(pointer)}
      data={options.map(String)}
      value={value === undefined ? null : String(value)}
      onChange={(next) => onChange(options.find((one) => String(one) === next))}
      placeholder={usual(at) ?? "choose"}
      clearable={!required}
      allowDeselect={!required}
      maw={320}
    />
  );
}

/** There is nothing to ask: it is written by itself. */
export function FixedField({ value, onChange, required, fixed }: FieldProps & { readonly fixed: Json }) {
  useEffect(() => {
    if (required && value !== fixed) onChange(fixed);
  });
  return null;
}
