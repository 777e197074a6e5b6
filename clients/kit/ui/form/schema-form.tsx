import { Stack } from "@mantine/core";
import type { Json, JsonObject } from "@reeve/model";
import type { SchemaAt } from "../schema/schema.ts";
import { FieldView } from "./field-view.tsx";
import { FormContext, type FormSurroundings } from "./form-context.ts";

interface Props extends FormSurroundings {
  readonly schema: SchemaAt;
  readonly value: JsonObject;
  readonly onChange: (value: JsonObject) => void;
  /** The JSON pointer of the value in what is sent, as errors name it: `/spec`. */
  readonly pointer: string;
}

/** A form for a value of any schema. What it cannot ask for better, it asks for as YAML. */
export function SchemaForm({ schema, value, onChange, pointer, scope, errors, whole = false }: Props) {
  return (
    <FormContext value={{ scope, errors, whole }}>
      <Stack gap="md">
        <FieldView
          at={schema}
          pointer={pointer}
          value={value}
          onChange={(next: Json | undefined) => onChange((next ?? {}) as JsonObject)}
          required
          bare
        />
      </Stack>
    </FormContext>
  );
}
