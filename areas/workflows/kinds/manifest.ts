import { apiVersion, type JsonObject } from "@reeve/model";
import type { WorkflowDefinition } from "./define.ts";

/** What is applied for a definition that a program has made. */
export function workflowManifest({ name, scope, labels, annotations, spec }: WorkflowDefinition): JsonObject {
  const metadata = {
    name,
    ...(scope === undefined ? {} : { scope }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
  return { apiVersion, kind: "Workflow", metadata, spec } as unknown as JsonObject;
}
