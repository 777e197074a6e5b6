import { Button, Group, Text } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  FindField,
  hasWords,
  PageHeader,
  PageLink,
  paths,
  placeColumns,
  ResultStrip,
  RunStateBadge,
  resultsShown,
  StateBadge,
  useList,
  useQuery,
  useResults,
  useScope,
  wordsOf,
} from "@reeve/kit";
import type { Resource, RunResult } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { NextTick, nextTick } from "./next-tick.tsx";
import { TriggerButton } from "./trigger-button.tsx";
import { stateOf } from "./workflow-state.ts";

type Row = Resource<WorkflowSpec>;
type Results = ReadonlyMap<string, readonly RunResult[]>;

/** All workflows of a scope, how their last runs went, and when they run next. */
export default function WorkflowsPage() {
  const scope = useScope();
  const [{ q = "" }] = useQuery();
  const list = useList<Row>(Workflow, scope);
  const results = useResults(
    list.rows.map(({ metadata }) => metadata.uid),
    scope,
  );
  const rows = useMemo(() => list.rows.filter((row) => fits(row, q)), [list.rows, q]);
  const isMixed = list.rows.some(({ metadata }) => metadata.scope !== scope);
  const columns = useMemo(() => columnsOf(results, isMixed), [results, isMixed]);
  return (
    <>
      <PageHeader
        title="Workflows"
        lead="Steps in an order, done by agents: begun by people, schedules, webhooks and other workflows."
        actions={<NewButton scope={scope} />}
      />
      {list.rows.length > 0 && (
        <Group mb="sm">
          <FindField label="Find a workflow" placeholder="Find by name, label or description" />
        </Group>
      )}
      <DataTable
        label="Workflows"
        list={{ ...list, rows }}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(Workflow, metadata.scope, metadata.name)}
        empty={q === "" ? <NoWorkflows scope={scope} /> : <Text c="dimmed">No workflow fits “{q}”.</Text>}
      />
    </>
  );
}

function NewButton({ scope }: { readonly scope: string }) {
  return (
    <Button component={PageLink} to={paths.create(Workflow, scope)} leftSection={<IconPlus size={14} />}>
      New workflow
    </Button>
  );
}

function NoWorkflows({ scope }: { readonly scope: string }) {
  return (
    <EmptyState
      title="No workflows yet"
      command="reeve apply -f workflow.yaml"
      action={<NewButton scope={scope} />}
    >
      A workflow is a list of steps: shell or Python scripts, requests, approvals, other workflows. Write one
      here with its graph beside the text, or keep it in a file or in Git.
    </EmptyState>
  );
}

function fits(row: Row, q: string): boolean {
  return hasWords([...wordsOf(row), row.spec.description ?? ""], q);
}

function columnsOf(results: Results, isMixed: boolean): Column<Row>[] {
  const last = ({ metadata }: Row) => results.get(metadata.uid)?.at(-1);
  return [
    ...placeColumns<Row>(isMixed),
    {
      key: "results",
      title: "Last runs",
      cell: ({ metadata }) => <ResultStrip results={results.get(metadata.uid) ?? []} most={resultsShown} />,
    },
    {
      key: "last",
      title: "Last",
      wide: true,
      sort: (row) => last(row)?.createdAt,
      cell: (row) => <LastResult result={last(row)} />,
    },
    {
      key: "next",
      title: "Next",
      wide: true,
      sort: (row) => nextTick(row, Date.now()),
      cell: (row) => <NextTick workflow={row} />,
    },
    {
      key: "state",
      title: "State",
      wide: true,
      sort: (row) => stateOf(row),
      cell: (row) => <StateBadge state={stateOf(row)} />,
    },
    {
      key: "run",
      title: "",
      align: "right",
      cell: (row) => <TriggerButton workflow={row} size="compact-xs" />,
    },
  ];
}

function LastResult({ result }: { readonly result: RunResult | undefined }) {
  if (result === undefined)
    return (
      <Text span size="sm" c="dimmed">
        never
      </Text>
    );
  return (
    <Group gap="xs" wrap="nowrap">
      <RunStateBadge state={result.state} />
      <Age at={result.createdAt} />
    </Group>
  );
}
