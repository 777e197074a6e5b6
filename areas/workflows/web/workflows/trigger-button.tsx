import { ReasonedButton, useCan, useQuery } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconPlayerPlay } from "@tabler/icons-react";
import { canBegin, type WorkflowSpec } from "../../kinds/index.ts";
import { TriggerDialog } from "./trigger-dialog.tsx";

interface Props {
  readonly workflow: Resource<WorkflowSpec>;
  readonly size?: string;
  readonly variant?: string;
}

/** Begins a run, after asking for its inputs. That it asks is in the address, so that there is a link to the form. */
export function TriggerButton({ workflow, ...look }: Props) {
  const { scope, name } = workflow.metadata;
  const key = scope === "" ? name : `${scope}/${name}`;
  const [query, patch] = useQuery();
  const why = useWhyNotBegin(workflow, "trigger");
  return (
    <>
      <ReasonedButton
        {...look}
        label="Run"
        icon={<IconPlayerPlay size={14} />}
        why={why}
        onClick={() => patch({ run: key })}
      />
      {query.run === key && why === undefined && (
        <TriggerDialog workflow={workflow} onClose={() => patch({ run: undefined })} />
      )}
    </>
  );
}

/** Why no run can be begun now: its state, or one's rights. */
export function useWhyNotBegin(
  workflow: Resource<WorkflowSpec>,
  action: "trigger" | "backfill",
): string | undefined {
  const { scope, name } = workflow.metadata;
  const can = useCan({ verb: action, kind: "Workflow", scope, name });
  const verdict = canBegin(workflow);
  if (!verdict.yes) return verdict.why;
  return can.allowed === false ? can.reason : undefined;
}
