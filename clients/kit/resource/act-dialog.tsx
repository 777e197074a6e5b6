import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { isObject, type Json, type JsonObject, type Resource } from "@reeve/model";
import type { ActionInfo, KindInfo } from "@reeve/sdk";
import { useMemo, useState } from "react";
import { client } from "../client.ts";
import { useGo } from "../link.tsx";
import { paths } from "../paths.ts";
import { Dialog } from "../ui/dialog.tsx";
import { SchemaForm } from "../ui/form/schema-form.tsx";
import { freshValue } from "../ui/form/value.ts";
import { FormDialog } from "../ui/form-dialog.tsx";
import { check } from "../ui/schema/check.ts";
import { propertiesOf, schemaAt, variantsOf } from "../ui/schema/schema.ts";
import { actionLabel } from "./kind-actions.tsx";
import { ValueView } from "./value-view.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  readonly name: string;
  readonly action: ActionInfo;
  readonly onClose: () => void;
}

/** Asks what an action needs, does it, and shows what it answered. */
export function ActDialog({ kind, resource, name, action, onClose }: Props) {
  const schema = useMemo(() => schemaAt(action.input), [action]);
  const [input, setInput] = useState<JsonObject>(() => freshValue(schema) as JsonObject);
  const [output, setOutput] = useState<Json>();
  const { scope, name: of } = resource.metadata;
  const go = useGo();
  const title = `${actionLabel(name)} ${of}`;
  if (output !== undefined)
    return (
      <Dialog title={title} size="lg" stays={action.secret} onClose={onClose}>
        <Stack>
          {action.secret && (
            <Alert color="yellow" title="Shown once">
              Copy what you need now: it is not kept, and cannot be shown again.
            </Alert>
          )}
          <ValueView value={output} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Dialog>
    );
  return (
    <FormDialog
      title={title}
      size="lg"
      action={actionLabel(name)}
      check={() => check(schema, input)}
      run={(key) => client.kind(kind).act<Json>(scope, of, name, input, key)}
      done={`${actionLabel(name)}: done`}
      onDone={(answer) => {
        if (!hasContent(answer)) onClose();
        else if (beginsRun(answer)) go(paths.run(answer.run));
        else setOutput(answer);
      }}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">{action.summary}</Text>
          {(propertiesOf(schema).length > 0 || variantsOf(schema).length > 0) && (
            <SchemaForm
              schema={schema}
              value={input}
              onChange={setInput}
              pointer=""
              scope={scope}
              errors={errors}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}

/** What it does is shown by the run that it has begun. */
function beginsRun(answer: Json): answer is { run: string } {
  return isObject(answer) && typeof answer.run === "string" && Object.keys(answer).length === 1;
}

function hasContent(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
