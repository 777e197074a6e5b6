/** The kinds of workflows and of where they come from, and their one compiled form: server, CLI and console share what is said here. */
import type { Kind } from "@reeve/model";
import { Source } from "./source.ts";
import { Workflow } from "./workflow.ts";

export type { backfillInput, backfillOutput } from "./backfill.ts";
export { compile } from "./compile.ts";
export { defineWorkflow, type WorkflowDefinition } from "./define.ts";
export { type InputSpec, inputFromText, inputsSpec, readInputs } from "./inputs.ts";
export { inputErrors, inputsSchema, largeDefaults } from "./inputs-schema.ts";
export { type Ending, endingOf, type NotifyEvent } from "./notify.ts";
export { orderOf } from "./order.ts";
export {
  catchUpMost,
  graceMs,
  nextTicks,
  type Schedule,
  type Ticking,
  ticksAfter,
  ticksBetween,
} from "./schedule.ts";
export { isScript, workflowOfScript } from "./script.ts";
export {
  type FetchedFile,
  fileAnnotation,
  type SourceSpec,
  type SourceStatus,
  type SyncedFile,
  sourceLabel,
  sourcePushes,
} from "./source.ts";
export type { StepSpec } from "./step.ts";
export type { WebhookSpec } from "./webhook.ts";
export { bareExpression } from "./words.ts";
export {
  canBegin,
  manyLimit,
  type triggerInput,
  type triggerManyInput,
  type WorkflowSpec,
} from "./workflow.ts";
export { Source, Workflow };

export const workflowsKinds: readonly Kind[] = [Workflow, Source];
