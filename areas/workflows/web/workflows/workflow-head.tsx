import {
  ActionButton,
  client,
  DeleteButton,
  PageHeader,
  PageLink,
  paths,
  ReasonedButton,
  StateBadge,
  useGo,
  useWhyNot,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconPencil, IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { Source, sourceLabel, Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { TriggerButton } from "./trigger-button.tsx";
import { stateOf } from "./workflow-state.ts";
import type { TabProps } from "./workflow-tabs.tsx";

/** Its name, its state, and what can be done with it. */
export function WorkflowHead({ kind, workflow }: TabProps) {
  const { scope, name } = workflow.metadata;
  const go = useGo();
  const why = useWhyNot("update", workflow as unknown as Resource);
  return (
    <PageHeader
      title={name}
      mono
      above={
        <>
          <PageLink to={paths.list(Workflow, scope)}>Workflows</PageLink> of{" "}
          <span className="mono">{scope || "the installation"}</span>
        </>
      }
      beside={<StateBadge state={stateOf(workflow)} />}
      lead={<Lead workflow={workflow} />}
      actions={
        <>
          <TriggerButton workflow={workflow} variant="filled" />
          <ReasonedButton
            label="Edit"
            icon={<IconPencil size={14} />}
            why={why}
            onClick={() => go(paths.edit(Workflow, scope, name))}
          />
          <PauseButton workflow={workflow} why={why} />
          <DeleteButton
            kind={kind}
            resource={workflow as unknown as Resource}
            onDone={(gone) => gone && go(paths.list(Workflow, scope))}
          />
        </>
      }
    />
  );
}

function Lead({ workflow: { metadata, spec } }: { readonly workflow: Resource<WorkflowSpec> }) {
  const source = metadata.labels[sourceLabel];
  if (source === undefined) return spec.description;
  return (
    <>
      {spec.description} Brought by the source{" "}
      <PageLink to={paths.resource(Source, metadata.scope, source)}>{source}</PageLink>: change it there, or
      the next sync undoes what you change here.
    </>
  );
}

/** A paused workflow begins nothing, whoever asks. */
function PauseButton({ workflow, why }: Pick<TabProps, "workflow"> & { readonly why: string | undefined }) {
  const { scope, name, paused = false } = workflow.metadata;
  const patch = { metadata: { paused: !paused } };
  return (
    <ActionButton
      label={paused ? "Resume" : "Pause"}
      icon={paused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
      why={why}
      run={(options) => client.kind(Workflow).patch(scope, name, patch, options)}
      done={paused ? `${name} begins runs again` : `${name} begins nothing until it is resumed`}
    />
  );
}
