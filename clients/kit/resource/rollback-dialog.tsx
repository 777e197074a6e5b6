import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { Resource } from "@reeve/model";
import type { Generation, KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { client } from "../client.ts";
import { useAction } from "../live/use-action.ts";
import { DiffView } from "../ui/diff/diff-view.tsx";
import { FaultView } from "../ui/fault-view.tsx";
import { specText } from "./writable.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
  readonly to: Generation<Resource["spec"]>;
  readonly onClose: () => void;
}

/** Brings the spec of an earlier generation back, as a new generation. */
export function RollbackDialog({ kind, resource, to, onClose }: Props) {
  const [reason, setReason] = useState("");
  const action = useAction();
  const { scope, name } = resource.metadata;
  const roll = () =>
    action.run(
      ({ idempotencyKey }) =>
        client
          .kind(kind)
          .rollback(scope, name, to.generation, { idempotencyKey, ...(reason ? { reason } : {}) }),
      {
        quiet: true,
        done: ({ resource: now }) =>
          `${name} is as it was in generation ${to.generation}, as generation ${now.metadata.generation}`,
        onDone: onClose,
      },
    );
  return (
    <Modal opened onClose={onClose} title={`Roll back to generation ${to.generation}?`} size="xl">
      <Stack>
        <Text size="sm">Its spec becomes the newest generation. Nothing of the history is lost.</Text>
        <DiffView
          before={specText(kind, resource.spec)}
          after={specText(kind, to.spec)}
          label="What the rollback changes"
        />
        {action.fault && <FaultView fault={action.fault} />}
        <TextInput
          label="Why"
          description="Kept with this generation and in the audit log."
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
          maxLength={500}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button onClick={() => void roll()} loading={action.busy}>
            Roll back
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
