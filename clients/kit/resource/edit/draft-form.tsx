import { Stack, TextInput, Title } from "@mantine/core";
import { isObject, type JsonObject, type Scope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { FormContext } from "../../ui/form/form-context.ts";
import { MapField } from "../../ui/form/map-field.tsx";
import { SchemaForm } from "../../ui/form/schema-form.tsx";
import { withField } from "../../ui/form/value.ts";
import { schemaAt } from "../../ui/schema/schema.ts";
import type { DraftState } from "./use-draft.ts";

interface Props {
  readonly kind: KindInfo;
  readonly draft: DraftState;
  readonly isNew: boolean;
  readonly scope: Scope;
}

const labelsSchema = schemaAt({
  type: "object",
  description: "To select by: team=web.",
  additionalProperties: { type: "string" },
});

/** A resource as a form: its name, its labels, and the fields of its kind. */
export function DraftForm({ kind, draft, isNew, scope }: Props) {
  const value = draft.value ?? {};
  const metadata = objectIn(value, "metadata");
  const setMetadata = (next: JsonObject) => draft.setValue({ ...value, metadata: next });
  const nameError = draft.errors.find((error) => error.pointer === "/metadata/name")?.message;
  const labels = objectIn(metadata, "labels");
  return (
    <Stack gap="lg" maw={760}>
      {isNew && (
        <TextInput
          label="Name"
          description="Lower-case letters, digits and '-'. It stays: a resource is not renamed."
          withAsterisk
          value={typeof metadata.name === "string" ? metadata.name : ""}
          onChange={({ currentTarget }) => setMetadata({ ...metadata, name: currentTarget.value })}
          error={metadata.name === "" ? undefined : nameError}
          classNames={{ input: "mono" }}
          autoComplete="off"
          data-1p-ignore
          maw={420}
        />
      )}
      <section>
        <Title order={2} mb="sm">
          Spec
        </Title>
        <SchemaForm
          schema={schemaAt(kind.spec)}
          value={objectIn(value, "spec")}
          onChange={(spec) => draft.setValue({ ...value, spec })}
          pointer="/spec"
          scope={scope}
          errors={draft.errors}
        />
      </section>
      <FormContext value={{ scope, errors: draft.errors }}>
        <MapField
          at={labelsSchema}
          entry={schemaAt({ type: "string" })}
          label="labels"
          pointer="/metadata/labels"
          value={labels}
          onChange={(next) => setMetadata(withField(metadata, "labels", next))}
          required={false}
        />
      </FormContext>
    </Stack>
  );
}

function objectIn(value: JsonObject, name: string): JsonObject {
  const found = value[name];
  return isObject(found) ? found : {};
}
