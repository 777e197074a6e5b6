import { PageLink, paths, ResourceHead, StateBadge } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { Source, sourceLabel, type WorkflowSpec } from "../../kinds/index.ts";
import { TriggerButton } from "./trigger-button.tsx";
import { stateOf } from "./workflow-state.ts";
import type { TabProps } from "./workflow-tabs.tsx";

/** Its name, its state, and what can be done with it. A paused workflow begins nothing, whoever asks. */
export function WorkflowHead({ kind, resource, workflow }: TabProps) {
  return (
    <ResourceHead
      kind={kind}
      resource={resource}
      many="Workflows"
      state={<StateBadge state={stateOf(workflow)} />}
      lead={<Lead workflow={workflow} />}
      elsewhere={{ backfill: "schedules" }}
      pausing={{ paused: "begins nothing until it is resumed", resumed: "begins runs again" }}
    >
      <TriggerButton workflow={workflow} variant="filled" />
    </ResourceHead>
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
