import { Text } from "@mantine/core";
import { Command, client, FormDialog, paths, SchemaForm, schemaAt, useGo } from "@reeve/kit";
import type { JsonObject, Resource } from "@reeve/model";
import { useMemo, useState } from "react";
import { inputErrors, inputsSchema, largeDefaults, Workflow, type WorkflowSpec } from "../../kinds/index.ts";

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
  const [inputs, setInputs] = useState<JsonObject>(() => largeDefaults(spec.inputs));
  const go = useGo();
  const hasInputs = Object.keys(spec.inputs ?? {}).length > 0;
  return (
    <FormDialog
      title={`Run ${name}`}
      size="lg"
      action="Run now"
      check={() => inputErrors(spec.inputs, inputs)}
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
