import { Text } from "@mantine/core";
import { PageLink, paths, RunList } from "@reeve/kit";
import type { TabProps } from "./workflow-tabs.tsx";

/** Its newest runs, live; the page of all runs has the filters. */
export function RunsTab({ workflow }: Pick<TabProps, "workflow">) {
  const { scope, name } = workflow.metadata;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        <PageLink to={paths.runs({ scope, workflow: name })}>Find older ones</PageLink> by state, cause and
        time.
      </Text>
      <WorkflowRuns workflow={workflow} limit={100} />
    </>
  );
}

export function WorkflowRuns({ workflow, limit }: Pick<TabProps, "workflow"> & { readonly limit: number }) {
  const { scope, name } = workflow.metadata;
  return (
    <RunList
      of={{ kind: "Workflow", scope, name }}
      limit={limit}
      empty="It has not run yet. Press Run to begin the first one."
    />
  );
}
