import { type AreaRoute, defineRoute } from "@reeve/control";
import { Fault, type JsonObject, nameText, scopeText } from "@reeve/model";
import { inputsSpec } from "@reeve/workflows/kinds";
import { z } from "zod";
import { serviceHosts } from "../../kinds/service.ts";
import { loadTemplates, type Template } from "./load.ts";
import { renderTemplate } from "./render.ts";

const listed = z.strictObject({
  name: z.string(),
  title: z.string(),
  summary: z.string(),
  inputs: inputsSpec.describe("as a workflow declares its own"),
  secrets: z
    .record(z.string(), z.strictObject({ description: z.string() }))
    .describe("keys of the service's secret, whose values are generated"),
});
const whole = listed.extend({ files: z.record(z.string(), z.string()) });

const wanted = z.strictObject({
  scope: scopeText.describe("where the service is to live"),
  name: nameText.describe("of the service, and of its secret"),
  hosts: serviceHosts,
  inputs: z.record(z.string(), z.json()).default({}),
});

/** What is made of a template is not recorded here: whoever asked applies it, with the rights that they have. */
export function templateRoutes(): AreaRoute[] {
  const templates = loadTemplates();
  const find = (name = ""): Template => {
    const found = templates.get(name);
    if (found !== undefined) return found;
    throw new Fault("not_found", `there is no template ${JSON.stringify(name.slice(0, 80))}`, {
      next: `the templates are ${[...templates.keys()].join(", ")}`,
    });
  };
  const of = { tag: "Services", demand: "signed-in" } as const;
  return [
    defineRoute({
      ...of,
      method: "GET",
      path: "/service-templates",
      summary: "What services can begin with",
      answer: z.strictObject({ items: z.array(listed) }),
      async run() {
        const items = [...templates.values()].map(({ files: _, ...template }) => template);
        return { body: { items } as never };
      },
    }),
    defineRoute({
      ...of,
      method: "GET",
      path: "/service-templates/:template",
      summary: "A template of services, with its files",
      answer: whole,
      run: async ({ params }) => ({ body: find(params.template) as never }),
    }),
    defineRoute({
      ...of,
      method: "POST",
      path: "/service-templates/:template/render",
      summary: "The manifests that make a service of a template",
      description:
        "Nothing is recorded: apply them, in this order. Generated values are made by the server afterwards.",
      body: wanted,
      answer: z.strictObject({ manifests: z.array(z.record(z.string(), z.json())) }),
      async run({ params, body }) {
        const manifests = renderTemplate(find(params.template), {
          ...body,
          inputs: body.inputs as JsonObject,
        });
        return { body: { manifests } };
      },
    }),
  ];
}
