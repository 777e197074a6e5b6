import { Text } from "@mantine/core";
import { client, FormDialog, freshValue, SchemaForm, schemaAt } from "@reeve/kit";
import type { JsonObject, Scope } from "@reeve/model";
import type { KindInfo, ServiceTemplate, WantedService } from "@reeve/sdk";
import { inputErrors, inputsSchema } from "@reeve/workflows/kinds";
import { useMemo, useState } from "react";
import { Service } from "../../kinds/index.ts";
import type { Draft } from "./templates-page.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly template: ServiceTemplate;
  readonly scope: Scope;
  readonly onDraft: (draft: Draft) => void;
  readonly onClose: () => void;
}

const secrets = { name: "Secret", plural: "secrets" };

/** A form of what the template asks for. Its secret is made with it: a service can only be written that refers to one that is there. */
export function TemplateDialog({ kind, template, scope, onDraft, onClose }: Props) {
  const schema = useMemo(() => schemaAt(schemaOf(kind, template)), [kind, template]);
  const [wanted, setWanted] = useState<JsonObject>(() => ({
    ...(freshValue(schema) as JsonObject),
    name: template.name,
  }));
  const keys = Object.keys(template.secrets);
  return (
    <FormDialog
      title={`${template.title} in ${scope}`}
      size="lg"
      action="Continue"
      check={() => inputErrors(template.inputs, (wanted.inputs ?? {}) as JsonObject)}
      run={() => makeDraft(template.name, { inputs: {}, ...wanted, scope } as unknown as WantedService)}
      onDone={onDraft}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm" c="dimmed">
            {template.summary}
          </Text>
          <SchemaForm
            schema={schema}
            value={wanted}
            onChange={setWanted}
            pointer=""
            scope={scope}
            errors={errors}
            whole
          />
          {keys.length > 0 && (
            <Text size="sm">
              A secret <span className="mono">{String(wanted.name ?? "")}</span> is made for it, with a
              generated <span className="mono">{keys.join(", ")}</span> that nobody sees.
            </Text>
          )}
        </>
      )}
    </FormDialog>
  );
}

/** Fields as the route that makes the manifests takes them, so that what it refuses is told at its field. */
function schemaOf({ spec }: KindInfo, { inputs }: ServiceTemplate): JsonObject {
  const { hosts } = (spec as { properties: { hosts: JsonObject } }).properties;
  return {
    ...spec,
    required: ["name", "hosts", "inputs"],
    properties: {
      name: { type: "string", description: "Of the service." },
      hosts,
      inputs: inputsSchema(inputs),
    },
  };
}

async function makeDraft(template: string, wanted: WantedService): Promise<Draft> {
  const manifests = await client.serviceTemplates.render(template, wanted);
  const service = manifests.find(({ kind }) => kind === Service.name) as JsonObject;
  const secret = manifests.find(({ kind }) => kind === secrets.name);
  const { scope, name } = wanted;
  if (secret === undefined) return { service, undo: async () => {} };
  await client.kind(secrets).create(secret as never);
  const undo = async () => {
    await client
      .kind(secrets)
      .delete(scope, name)
      .catch(() => undefined);
  };
  return { service, undo };
}
