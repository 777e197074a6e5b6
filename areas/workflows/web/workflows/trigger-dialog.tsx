import { Text } from "@mantine/core";
import { Command, client, FormDialog, paths, SchemaForm, schemaAt, useGo } from "@reeve/kit";
import { Fault, type FieldError, type JsonObject, type Resource } from "@reeve/model";
import { useMemo, useState } from "react";
import { readInputs, Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { inputsSchema } from "./inputs-schema.ts";
import { runCommand } from "./run-command.ts";

interface Props {
  readonly workflow: Resource<WorkflowSpec>;
  readonly onClose: () => void;
}

/** A form of the workflow's own inputs. What it says of a mistake is what the server would say. */
export function TriggerDialog({ workflow, onClose }: Props) {
  const { metadata, spec } = workflow;
  const { scope, name } = metadata;
  const schema = useMemo(() => schemaAt(inputsSchema(spec.inputs ?? {})), [spec.inputs]);
  const [inputs, setInputs] = useState<JsonObject>(() => writtenDefaults(spec));
  const go = useGo();
  const hasInputs = Object.keys(spec.inputs ?? {}).length > 0;
  return (
    <FormDialog
      title={`Run ${name}`}
      size="lg"
      action="Run now"
      check={() => inputErrors(spec, inputs)}
      run={(key) => client.runs.trigger({ kind: Workflow, scope, name }, { inputs }, key)}
      done={`A run of ${name} has begun`}
      onDone={(run) => go(paths.run(run))}
      onClose={onClose}
    >
      {(errors) => (
        <>
          {spec.description && (
            <Text size="sm" c="dimmed">
              {spec.description}
            </Text>
          )}
          {hasInputs ? (
            <SchemaForm
              schema={schema}
              value={inputs}
              onChange={setInputs}
              pointer="/inputs"
              scope={scope}
              errors={errors}
              whole
            />
          ) : (
            <Text size="sm">It takes no inputs.</Text>
          )}
          <Command text={runCommand(scope, name, inputs)} />
        </>
      )}
    </FormDialog>
  );
}

function inputErrors({ inputs: declared }: WorkflowSpec, given: JsonObject): readonly FieldError[] {
  try {
    readInputs(declared, given);
    return [];
  } catch (error) {
    if (error instanceof Fault) return error.errors;
    throw error;
  }
}

/** A list or an object is easier changed than written anew; what is short stands in its empty field as a hint. */
function writtenDefaults({ inputs = {} }: WorkflowSpec): JsonObject {
  const large = Object.entries(inputs).filter(([, input]) => typeof input.default === "object");
  return Object.fromEntries(large.map(([name, input]) => [name, input.default ?? null]));
}
