import { type Admission, forbidden } from "@reeve/control";
import { allows, invalidField, type Kind, levelOf, permissionOf, sameJson } from "@reeve/model";
import type { StepSpec, WorkflowSpec } from "../kinds/index.ts";

/**
 * What a step makes is made in the system's name. So whoever writes such a step, or changes it, must be allowed to make that
 * themselves; who only changes the rest of the workflow, or begins a run of it, need not.
 */
export function admitMaking({ before, after, caller }: Admission, makes: readonly Kind[]): void {
  const steps = (after.spec as unknown as WorkflowSpec).steps;
  const written = ((before?.spec as unknown as WorkflowSpec | undefined)?.steps ?? []) as StepSpec[];
  for (const [at, step] of steps.entries()) {
    if (step.make === undefined || written.some((one) => sameJson(one as never, step as never))) continue;
    const { scope } = after.metadata;
    const pointer = `/spec/steps/${at}/make/kind`;
    const kind = makes.find(({ name }) => name === step.make?.kind);
    if (kind === undefined)
      throw invalidField(
        pointer,
        `steps cannot make a ${step.make.kind}`,
        `they can make: ${makes.map(({ name }) => name).join(", ")}`,
      );
    if (!kind.levels.includes(levelOf(scope)))
      throw invalidField(
        pointer,
        `there is no ${kind.name} in a scope like this one`,
        `write the workflow in: ${kind.levels.join(", ")}`,
      );
    const permission = permissionOf(kind, "create");
    if (!allows(caller.grants, permission, scope)) throw forbidden(permission, scope);
  }
}
