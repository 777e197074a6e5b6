import { Text } from "@mantine/core";
import type { Resource } from "@reeve/model";
import type { Generation, KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { client } from "../client.ts";
import { DiffView } from "../ui/diff/diff-view.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";
import { ReasonField } from "./reason-field.tsx";
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
  const { scope, name } = resource.metadata;
  return (
    <FormDialog
      title={`Roll back to generation ${to.generation}?`}
      size="xl"
      action="Roll back"
      run={(key) =>
        client.kind(kind).rollback(scope, name, to.generation, { ...key, ...(reason && { reason }) })
      }
      done={({ resource: now }) =>
        `${name} is as it was in generation ${to.generation}, as generation ${now.metadata.generation}`
      }
      onDone={onClose}
      onClose={onClose}
    >
      <Text size="sm">Its spec becomes the newest generation. Nothing of the history is lost.</Text>
      <DiffView
        before={specText(kind, resource.spec)}
        after={specText(kind, to.spec)}
        label="What the rollback changes"
      />
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}
