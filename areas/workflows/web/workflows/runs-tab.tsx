import { Text } from "@mantine/core";
import { Age, type Column, DataTable, PageLink, paths, RunStateBadge, Took, useRuns } from "@reeve/kit";
import type { Resource, Run } from "@reeve/model";
import type { WorkflowSpec } from "../../kinds/index.ts";
import type { TabProps } from "./workflow-tabs.tsx";

/** Its newest runs, live; the page of all runs has the filters. */
export function RunsTab({ workflow }: TabProps) {
  const { scope, name } = workflow.metadata;
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        <PageLink to={paths.runs({ scope, workflow: name })}>Find older ones</PageLink> by state, cause and
        time.
      </Text>
      <RunList workflow={workflow} limit={100} />
    </>
  );
}

interface ListProps {
  readonly workflow: Resource<WorkflowSpec>;
  readonly limit: number;
}

export function RunList({ workflow, limit }: ListProps) {
  const { scope, name } = workflow.metadata;
  const list = useRuns({ scope, about: { kind: "Workflow", name } }, limit);
  return (
    <DataTable
      label={`Runs of ${name}`}
      list={list}
      columns={columns}
      rowKey={(run) => run.id}
      to={(run) => paths.run(run.id)}
      empty={
        <Text size="sm" c="dimmed">
          It has not run yet. Press Run to begin the first one.
        </Text>
      }
    />
  );
}

const columns: readonly Column<Run>[] = [
  { key: "id", title: "Run", cell: ({ id }) => <span className="mono">{id.slice(-8)}</span> },
  { key: "state", title: "State", cell: ({ state }) => <RunStateBadge state={state} /> },
  { key: "begun", title: "Begun", cell: ({ createdAt }) => <Age at={createdAt} /> },
  { key: "took", title: "Took", cell: ({ startedAt, endedAt }) => <Took from={startedAt} to={endedAt} /> },
  { key: "cause", title: "Cause", wide: true, cell: ({ cause, by }) => `${cause} ${by}` },
  {
    key: "generation",
    title: "Generation",
    wide: true,
    align: "right",
    cell: ({ about }) => about.generation,
  },
  {
    key: "why",
    title: "Why",
    wide: true,
    cell: ({ why }) => (
      <Text size="sm" c="dimmed" lineClamp={1} title={why}>
        {why}
      </Text>
    ),
  },
];
