import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { Json, JsonObject, Resource } from "@reeve/model";
import type { ActionInfo, KindInfo } from "@reeve/sdk";
import { useMemo, useState } from "react";
import { client } from "../client.ts";
import { useAction } from "../live/use-action.ts";
import { FaultView } from "../ui/fault-view.tsx";
import { SchemaForm } from "../ui/form/schema-form.tsx";
import { freshValue } from "../ui/form/value.ts";
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
  const acting = useAction();
  const { scope, name: of } = resource.metadata;
  const wrong = check(schema, input);
  const act = () =>
    acting.run(
      ({ idempotencyKey }) => client.kind(kind).act<Json>(scope, of, name, input, { idempotencyKey }),
      {
        quiet: true,
        done: `${actionLabel(name)}: done`,
        onDone: (answer) => (hasContent(answer) ? setOutput(answer) : onClose()),
      },
    );
  return (
    <Modal opened onClose={onClose} title={`${actionLabel(name)} ${of}`} size="lg">
      {output === undefined ? (
        <Stack>
          <Text size="sm">{action.summary}</Text>
          {(propertiesOf(schema).length > 0 || variantsOf(schema).length > 0) && (
            <SchemaForm
              schema={schema}
              value={input}
              onChange={setInput}
              pointer=""
              scope={scope}
              errors={acting.fault?.errors ?? []}
            />
          )}
          {acting.fault && <FaultView fault={acting.fault} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button onClick={() => void act()} loading={acting.busy} disabled={wrong.length > 0}>
              {actionLabel(name)}
            </Button>
          </Group>
        </Stack>
      ) : (
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
      )}
    </Modal>
  );
}

function hasContent(value: Json | undefined): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
