import { toYaml } from "@reeve/model/yaml";
import type { BulkManifest, ServiceTemplate } from "@reeve/sdk";
import { defineVerb, flag, readInputTexts, text, texts, Usage } from "@reeve/sdk/cli";
import { Service } from "../kinds/index.ts";

export const templateList = defineVerb()({
  name: "template list",
  group: "read",
  summary: "Show what services can begin with",
  example: "reeve template list",
  async run(desk) {
    const all = await (await desk.client()).serviceTemplates.list();
    if (await desk.data(all)) return 0;
    desk.table(
      ["Name", "Title", "Summary"],
      all.map(({ name, title, summary }) => [name, title, summary]),
    );
    return 0;
  },
});

export const templateShow = defineVerb()({
  name: "template show",
  group: "read",
  summary: "Show a template: what it asks for, what it generates, and its files",
  args: [{ name: "TEMPLATE" }],
  example: "reeve template show postgres",
  async run(desk, { args: [name = ""] }) {
    const template = await (await desk.client()).serviceTemplates.get(name);
    if (await desk.data(template)) return 0;
    desk.out(`${template.title}: ${template.summary}\n\n`);
    desk.table(["Input", "Type", "Default", "About"], inputRows(template));
    for (const [key, { description }] of Object.entries(template.secrets))
      desk.out(`\nGenerated: ${key}. ${description}\n`);
    for (const [path, content] of Object.entries(template.files)) desk.out(`\n--- ${path}\n${content}`);
    return 0;
  },
});

export const templateUse = defineVerb()({
  name: "template use",
  group: "change",
  summary: "Make a service of a template; `reeve deploy` brings it to its hosts",
  args: [{ name: "TEMPLATE" }],
  options: {
    input: texts("KEY=VALUE", "An input; @FILE reads them from YAML or JSON", { short: "i" }),
    name: text("NAME", "Of the service; the template's own when left out"),
    hosts: texts("HOST,…", "The hosts that it runs on"),
    onLabels: text("LABELS", "The labels of the hosts that it runs on, such as zone=a"),
    dryRun: flag("Print the manifests, apply nothing"),
  },
  example:
    "reeve template use postgres --hosts db-1 -i port=5433\nreeve template use grafana --name charts --on-labels zone=a --dry-run",
  async run(desk, { args: [template = ""], options: { input, name, hosts, onLabels, dryRun } }) {
    const names = hosts.flatMap((one) => one.split(",")).filter((one) => one !== "");
    if (names.length === 0 && onLabels === undefined)
      throw new Usage("say where it runs", "give --hosts NAME, or --on-labels zone=a");
    const client = await desk.client();
    const { inputs } = await client.serviceTemplates.get(template);
    const manifests = await client.serviceTemplates.render(template, {
      scope: await desk.scopeFor(Service),
      name: name ?? template,
      hosts: { ...(names.length > 0 && { names }), ...(onLabels !== undefined && { labels: onLabels }) },
      inputs: readInputTexts(input, inputs),
    });
    if (dryRun) {
      if (!(await desk.data(manifests))) desk.out(manifests.map(toYaml).join("---\n"));
      return 0;
    }
    const results = await client.applyMany(manifests as unknown as BulkManifest[]);
    for (const result of results) if ("fault" in result) throw result.fault;
    const made = results.flatMap((result) => ("resource" in result ? [result] : []));
    if (await desk.data(made.map(({ resource }) => resource))) return 0;
    for (const { resource, outcome } of made)
      desk.out(`${resource.kind.toLowerCase()}/${resource.metadata.name} ${outcome}\n`);
    desk.say(`bring it to its hosts with: reeve deploy ${name ?? template}`);
    return 0;
  },
});

function inputRows({ inputs }: ServiceTemplate): string[][] {
  return Object.entries(inputs).map(([name, { type, default: usual, description }]) => [
    name,
    type,
    usual === undefined ? "" : String(usual),
    description ?? "",
  ]);
}
