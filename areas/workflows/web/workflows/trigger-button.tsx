import { ReasonedButton, useCan } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useState } from "react";
import { canBegin, type WorkflowSpec } from "../../kinds/index.ts";
import { TriggerDialog } from "./trigger-dialog.tsx";

interface Props {
  readonly workflow: Resource<WorkflowSpec>;
  readonly size?: string;
  readonly variant?: string;
}

/** Begins a run, after asking for its inputs. */
export function TriggerButton({ workflow, ...look }: Props) {
  const [asking, setAsking] = useState(false);
  const why = useWhyNotBegin(workflow, "trigger");
  return (
    <>
      <ReasonedButton
        {...look}
        label="Run"
        icon={<IconPlayerPlay size={14} />}
        why={why}
        onClick={() => setAsking(true)}
      />
      {asking && <TriggerDialog workflow={workflow} onClose={() => setAsking(false)} />}
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
