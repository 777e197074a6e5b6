import { apiVersion, invalidField, type JsonObject, type Scope } from "@reeve/model";
import { readInputs } from "@reeve/workflows/kinds";
import type { ServiceSpec } from "../../kinds/index.ts";
import type { Template } from "./load.ts";

export interface Wanted {
  readonly scope: Scope;
  /** Of the service, and of its secret. */
  readonly name: string;
  readonly hosts: ServiceSpec["hosts"];
  readonly inputs: JsonObject;
}

/** The manifests that make a service of a template, in the order in which they are applied. */
export function renderTemplate(template: Template, { scope, name, hosts, inputs }: Wanted): JsonObject[] {
  const values = Object.entries(readInputs(template.inputs, inputs)).filter(([, value]) => value !== null);
  // In an environment that would be read as a secret of somebody else's choice.
  const reference = values.find(([, value]) => String(value).includes("${{"));
  if (reference !== undefined)
    throw invalidField(`/inputs/${reference[0]}`, "${{ stands for nothing here: write the value itself");
  const metadata = { scope, name };
  const secrets = Object.entries(template.secrets);
  const environment: JsonObject = {
    ...Object.fromEntries(values.map(([input, value]) => [input.toUpperCase(), String(value)])),
    ...Object.fromEntries(secrets.map(([key]) => [key.toUpperCase(), { secretRef: { name, key } }])),
  };
  const keys = Object.fromEntries(secrets.map(([key, about]) => [key, { ...about, generate: true }]));
  const service = {
    apiVersion,
    kind: "Service",
    metadata,
    spec: { description: template.title, hosts, environment, files: template.files },
  } as unknown as JsonObject;
  if (secrets.length === 0) return [service];
  const description = `Of the service ${name}: generated, because its template asks for it.`;
  return [{ apiVersion, kind: "Secret", metadata, spec: { description, keys } }, service];
}
