import { Fault, isName, type JsonObject, nameRule } from "@reeve/model";
import type { WorkflowDefinition } from "./define.ts";
import { workflowManifest } from "./manifest.ts";

/** Files that are a workflow of one step by themselves. */
export function isScript(file: string): boolean {
  return /\.(sh|py)$/.test(file);
}

/** The workflow of a bare script, named after its file. Its first line may choose the shell: `#!/bin/bash`. */
export function workflowOfScript(file: string, text: string): JsonObject {
  const base = file.split("/").at(-1) as string;
  const name = base
    .replace(/\.\w+$/, "")
    .toLowerCase()
    .replaceAll(/[_. ]+/g, "-");
  if (!isName(name))
    throw new Fault("invalid", `${file}: the workflow would be called ${JSON.stringify(name)}: ${nameRule}`, {
      next: "rename the file; nothing was sent",
    });
  const step = base.endsWith(".py") ? { python: text } : { run: text };
  const definition: WorkflowDefinition = { name, spec: { steps: [{ name: "script", ...step }] } };
  return workflowManifest(definition);
}
