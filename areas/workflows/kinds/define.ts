import type { z } from "zod";
import type { workflowSpec } from "./workflow.ts";

/** A workflow as a program writes it: what has a default may be left out. */
export interface WorkflowDefinition {
  readonly name: string;
  readonly scope?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: z.input<typeof workflowSpec>;
}

/** For `*.workflow.ts` files: `export default defineWorkflow({ name: "etl", spec: { … } })`. A list makes several. */
export function defineWorkflow(definition: WorkflowDefinition): WorkflowDefinition {
  return definition;
}
