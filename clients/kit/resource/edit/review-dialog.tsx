import type { JsonObject, Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { client } from "../../client.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { DiffView } from "../../ui/diff/diff-view.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { ReasonField } from "../reason-field.tsx";
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
  const manifest = draft.value ?? {};
  if (current !== undefined && base !== undefined)
    return (
      <Dialog title={`This ${kind.name} was changed meanwhile`} size="xl" onClose={onClose}>
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
      </Dialog>
    );
  return (
    <FormDialog
      title={base === undefined ? `Create this ${kind.name}?` : "Apply these changes?"}
      size="xl"
      action={base === undefined ? "Create" : "Apply"}
      cancel="Go on writing"
      held={draft.rehearsal?.difference === undefined}
      run={({ idempotencyKey }) => applyDraft(client.kind(kind), { manifest, base, reason }, idempotencyKey)}
      onDone={(ending) => ("current" in ending ? setCurrent(ending.current) : onDone(ending.resource))}
      onClose={onClose}
    >
      <DiffView
        before={writableText(kind, base)}
        after={writableText(kind, draft.rehearsal?.difference?.after ?? undefined)}
        label="What would change"
      />
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}
