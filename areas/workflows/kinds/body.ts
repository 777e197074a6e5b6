import { type JsonObject, parseDuration, type StepBody, splitTemplate } from "@reeve/model";
import type { StepSpec } from "./step.ts";
import type { WorkflowSpec } from "./workflow.ts";

/** What a step does, in the engine's words. */
export function bodyOf(step: StepSpec, common: WorkflowSpec["env"]): StepBody {
  if (step.approve !== undefined) {
    const { text, expires } =
      typeof step.approve === "string" ? { text: step.approve, expires: undefined } : step.approve;
    return { does: "approve", text, ...(expires === undefined ? {} : { expiresMs: parseDuration(expires) }) };
  }
  if (step.wait !== undefined) return { does: "wait", ms: parseDuration(step.wait) };
  if (step.workflow !== undefined)
    return {
      does: "run",
      kind: "Workflow",
      name: step.workflow.name,
      inputs: (step.workflow.inputs ?? {}) as JsonObject,
    };
  if (step.make !== undefined)
    return { does: "make", kind: step.make.kind, spec: (step.make.spec ?? {}) as JsonObject };
  if (step.http !== undefined) return execute("http", step.http as JsonObject);
  const given = (step.with ?? {}) as JsonObject;
  const env = { ...common, ...step.env };
  if (step.python !== undefined) return execute("python", { ...given, script: step.python, env });
  if (step.run === undefined) return execute(step.uses as string, given);
  const { script, values } = withVariables(step.run);
  return execute("shell", { ...given, script, env: { ...env, ...values } });
}

/**
 * In a shell script each `${{ }}` becomes a variable of the environment: a value that somebody gave must never be read as
 * a part of the script. `echo ${{ inputs.name }}` is `echo ${REEVE_VALUE_1}`, and quotes work as around any variable.
 */
function withVariables(text: string): { script: string; values: Record<string, string> } {
  const names = new Map<string, string>();
  const script = splitTemplate(text).map((part) => {
    if (!("expression" in part)) return part.text;
    const known = names.get(part.expression) ?? `REEVE_VALUE_${names.size + 1}`;
    names.set(part.expression, known);
    return `\${${known}}`;
  });
  const values = [...names].map(([expression, name]) => [name, `\${{ ${expression} }}`]);
  return { script: script.join(""), values: Object.fromEntries(values) as Record<string, string> };
}

function execute(executor: string, given: JsonObject): StepBody {
  return { does: "execute", executor, with: given };
}
