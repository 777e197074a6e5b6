import { ActionButton, client, paths, useGo, useKind, useResource } from "@reeve/kit";
import type { Resource, Run } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconGitBranch } from "@tabler/icons-react";
import { Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { useWhyNotBegin } from "../workflows/trigger-button.tsx";

/**
 * When the workflow was mended since: a retry does what the run was begun with, so this begins a new run, as the workflow is written
 * now, without what succeeded.
 */
export function RetryNewer({ run }: { readonly run: Run }) {
  const kind = useKind(Workflow.name) as KindInfo;
  const { resource } = useResource<Resource<WorkflowSpec>>(kind, run.scope, run.about.name);
  const isNewer =
    resource?.metadata.uid === run.about.uid && resource.metadata.generation > run.about.generation;
  return isNewer ? <NewerButton run={run} workflow={resource} /> : null;
}

function NewerButton({ run, workflow }: { readonly run: Run; readonly workflow: Resource<WorkflowSpec> }) {
  const go = useGo();
  const { scope, name, generation } = workflow.metadata;
  return (
    <ActionButton
      label={`Retry with generation ${generation}`}
      icon={<IconGitBranch size={14} />}
      variant="filled"
      why={useWhyNotBegin(workflow, "trigger")}
      confirm={{
        title: `Retry as generation ${generation} says?`,
        text: "A new run with the same inputs. What succeeded, and is written as it was, is kept, though cleanup steps may have removed what it made; approvals are asked for again.",
      }}
      run={(options) => client.runs.trigger({ kind: Workflow, scope, name }, { keep: run.id }, options)}
      done={`A run of ${name} goes on from this one`}
      onDone={(id) => go(paths.run(id))}
    />
  );
}
