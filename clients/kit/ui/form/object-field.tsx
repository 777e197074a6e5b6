import { Stack } from "@mantine/core";
import { escapePointer, type JsonObject } from "@reeve/model";
import { useContext } from "react";
import type { Property } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";
import { AddFieldMenu } from "./add-field-menu.tsx";
import { type FieldProps, FieldView } from "./field-view.tsx";
import { FormContext } from "./form-context.ts";
import { FieldFrame } from "./frame.tsx";
import { freshValue, withField } from "./value.ts";

/** So many fields are shown empty; with more, those that are not used wait in a menu. */
const fewFields = 8;
const simple: readonly string[] = ["text", "number", "toggle", "choice"];

type Props = Omit<FieldProps, "value"> & {
  readonly value: JsonObject;
  readonly properties: readonly Property[];
};

export function ObjectField(props: Props) {
  const { pointer, value, onChange, properties, bare } = props;
  const { whole } = useContext(FormContext);
  const isShown = (one: Property) =>
    whole ||
    one.required ||
    value[one.name] !== undefined ||
    (properties.length <= fewFields && simple.includes(shapeOf(one.at).shape));
  const waiting = properties.filter((one) => !isShown(one));
  const fields = (
    <Stack gap="sm">
      {properties.filter(isShown).map(({ name, at, required }) => (
        <FieldView
          key={name}
          label={name}
          at={at}
          pointer={`${pointer}/${escapePointer(name)}`}
          value={value[name]}
          onChange={(next) => onChange(withField(value, name, next))}
          required={required}
          around={value}
        />
      ))}
      <AddFieldMenu
        properties={waiting}
        onAdd={({ name, at }) => onChange(withField(value, name, freshValue(at)))}
      />
    </Stack>
  );
  return bare ? fields : <FieldFrame {...props}>{fields}</FieldFrame>;
}
