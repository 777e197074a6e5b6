import { readdirSync, readFileSync } from "node:fs";
import { readInput } from "@reeve/model";
import { readDocuments } from "@reeve/model/yaml";
import { inputsSpec } from "@reeve/workflows/kinds";
import { z } from "zod";
import { files } from "../../kinds/files.ts";

/**
 * What a service of a kind that many need begins with. Its files are never changed by what is asked for: each input, and each
 * secret, is a variable that they name in capitals, so no value can become anything but a value.
 */
const templateSpec = z.strictObject({
  title: z.string(),
  summary: z.string(),
  inputs: inputsSpec,
  secrets: z.record(z.string(), z.strictObject({ description: z.string() })).default({}),
  files,
});

export type Template = z.infer<typeof templateSpec> & { readonly name: string };

const folder = new URL("../../templates/", import.meta.url);

/** All that come with Reeve, by name. */
export function loadTemplates(): ReadonlyMap<string, Template> {
  const names = readdirSync(folder).sort();
  return new Map(names.map((file) => [file.replace(".yaml", ""), readTemplate(file)]));
}

function readTemplate(file: string): Template {
  const [document] = readDocuments(readFileSync(new URL(file, folder), "utf8"), file);
  return { name: file.replace(".yaml", ""), ...readInput(templateSpec, document?.value) };
}
