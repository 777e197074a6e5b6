import { isObject, type Json, type JsonObject } from "@reeve/model";
import type { SchemaAt } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";
import { AnythingField } from "./anything-field.tsx";
import { ListField } from "./list-field.tsx";
import { MapField } from "./map-field.tsx";
import { ObjectField } from "./object-field.tsx";
import { FixedField, NumberField, PickField, ToggleField } from "./scalar-fields.tsx";
import { TextField } from "./text-field.tsx";
import { VariantsField } from "./variants-field.tsx";

export interface FieldProps {
  readonly at: SchemaAt;
  /** As a person calls it: the key. Items of lists have none. */
  readonly label?: string;
  readonly pointer: string;
  readonly value: Json | undefined;
  /** Undefined leaves the field out. */
  readonly onChange: (value: Json | undefined) => void;
  readonly required: boolean;
  /** The object around it. */
  readonly around?: JsonObject;
  /** Without a frame of its own: the whole form, or what a frame stands around already. */
  readonly bare?: boolean;
}

/** One field, by its shape. */
export function FieldView(props: FieldProps) {
  const shape = shapeOf(props.at);
  const list = Array.isArray(props.value) ? props.value : [];
  const object = isObject(props.value) ? props.value : {};
  switch (shape.shape) {
    case "text":
      return <TextField {...props} shape={shape} />;
    case "number":
      return <NumberField {...props} shape={shape} />;
    case "toggle":
      return <ToggleField {...props} />;
    case "choice":
      return <PickField {...props} options={shape.options} />;
    case "fixed":
      return <FixedField {...props} fixed={shape.value} />;
    case "object":
      return <ObjectField {...props} value={object} properties={shape.properties} />;
    case "list":
      return <ListField {...props} value={list} item={shape.item} />;
    case "map":
      return <MapField {...props} value={object} entry={shape.value} />;
    case "variants":
      return <VariantsField {...props} variants={shape.variants} />;
    default:
      return <AnythingField {...props} />;
  }
}
