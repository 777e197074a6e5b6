import type { JsonObject, Scope } from "@reeve/model";
import type { ServiceSpec } from "@reeve/services/kinds";
import type { InputSpec } from "@reeve/workflows/kinds";
import type { Wire } from "./wire.ts";

/** What services can begin with. */
export interface ServiceTemplate {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  /** Keys of the service's secret, whose values are generated. */
  readonly secrets: Readonly<Record<string, { readonly description: string }>>;
}

export interface WantedService {
  readonly scope: Scope;
  readonly name: string;
  readonly hosts: ServiceSpec["hosts"];
  readonly inputs: JsonObject;
}

export interface ServiceTemplatesClient {
  list(): Promise<readonly ServiceTemplate[]>;
  get(name: string): Promise<ServiceTemplate & { readonly files: Readonly<Record<string, string>> }>;
  /** The manifests that make such a service, in the order in which they are applied. */
  render(name: string, wanted: WantedService): Promise<readonly JsonObject[]>;
}

const path = "/api/v1/service-templates";

export function openServiceTemplates(wire: Wire): ServiceTemplatesClient {
  const one = (name: string) => `${path}/${encodeURIComponent(name)}`;
  return {
    list: async () => ((await wire.send({ path })).body as { items: ServiceTemplate[] }).items,
    get: async (name) => (await wire.send({ path: one(name) })).body as never,
    async render(name, wanted) {
      const { body } = await wire.send({ method: "POST", path: `${one(name)}/render`, body: wanted });
      return (body as { manifests: JsonObject[] }).manifests;
    },
  };
}
