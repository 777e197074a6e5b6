import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import type { JsonObject, Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { client } from "../../client.ts";
import { useAction } from "../../live/use-action.ts";
import { DiffView } from "../../ui/diff/diff-view.tsx";
import { FaultView } from "../../ui/fault-view.tsx";
import { writableText } from "../writable.ts";
import { applyDraft } from "./apply-draft.ts";
import { ConflictView } from "./conflict-view.tsx";
import type { DraftState } from "./use-draft.ts";

interface Props {
  readonly kind: KindInfo;
  readonly draft: DraftState;
  readonly base: Resource | undefined;
  readonly onClose: () => void;
  /** Go on with this, on top of what somebody else has written. */
  readonly onTake: (merged: JsonObject, current: Resource) => void;
  readonly onDone: (resource: Resource) => void;
}

/** What would change, exactly as the server would record it; then it is applied, or not. */
export function ReviewDialog({ kind, draft, base, onClose, onTake, onDone }: Props) {
  const [reason, setReason] = useState("");
  const [current, setCurrent] = useState<Resource>();
  const action = useAction();
  const manifest = draft.value ?? {};
  const apply = () =>
    action.run(
      ({ idempotencyKey }) => applyDraft(client.kind(kind), { manifest, base, reason }, idempotencyKey),
      {
        quiet: true,
        onDone: (ending) => ("current" in ending ? setCurrent(ending.current) : onDone(ending.resource)),
      },
    );
  const title = base === undefined ? `Create this ${kind.name}?` : `Apply these changes?`;
  if (current !== undefined && base !== undefined)
    return (
      <Modal opened onClose={onClose} title={`This ${kind.name} was changed meanwhile`} size="xl">
        <ConflictView
          kind={kind}
          base={base}
          current={current}
          mine={manifest}
          onTake={(merged) => {
            onTake(merged, current);
            onClose();
          }}
          onCancel={onClose}
        />
      </Modal>
    );
  return (
    <Modal opened onClose={onClose} title={title} size="xl">
      <Stack>
        <DiffView
          before={writableText(kind, base)}
          after={writableText(kind, draft.rehearsal?.difference?.after ?? undefined)}
          label="What would change"
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
            Go on writing
          </Button>
          <Button
            onClick={() => void apply()}
            loading={action.busy}
            disabled={draft.rehearsal?.difference === undefined}
          >
            {base === undefined ? "Create" : "Apply"}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
