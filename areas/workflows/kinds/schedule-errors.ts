import { Fault, type FieldError, type JsonObject } from "@reeve/model";
import { readInputs } from "./inputs.ts";
import type { WorkflowSpec } from "./workflow.ts";

/** What is wrong with a workflow's schedules beyond their own form: names used twice, inputs that its runs would not take. */
export function scheduleErrors({ schedules = [], inputs }: WorkflowSpec): FieldError[] {
  return schedules.flatMap(({ name, inputs: given }, at): FieldError[] => {
    const pointer = `/spec/schedules/${at}`;
    if (schedules.findIndex((one) => one.name === name) < at)
      return [{ pointer: `${pointer}/name`, message: `another schedule is named ${name}` }];
    try {
      readInputs(inputs, given as JsonObject | undefined, `${pointer}/inputs`);
      return [];
    } catch (error) {
      if (error instanceof Fault && error.errors.length > 0) return [...error.errors];
      throw error;
    }
  });
}
