import { Button, Group, MultiSelect, Select, Text, TextInput } from "@mantine/core";
import {
  Age,
  DataTable,
  EmptyState,
  PageHeader,
  paths,
  RunStateBadge,
  Took,
  useQuery,
  useRuns,
  useScope,
} from "@reeve/kit";
import { type Run, runCauses, runStates } from "@reeve/model";
import { useMemo, useState } from "react";
import { filterOf, periods } from "./run-filter.ts";
import { causeText, shortId, whyText } from "./run-words.ts";
import classes from "./runs.module.css";

const pageSize = 100;
const mostShown = 500;

/** The newest runs, live. What is shown is in the address. */
export default function RunsPage() {
  const [query, setQuery] = useQuery();
  const scope = useScope();
  // Taken once: the period of a list that stays open begins when it was opened.
  const [openedAt] = useState(Date.now);
  const filter = useMemo(() => filterOf(query, scope, openedAt), [query, scope, openedAt]);
  const limit = Math.min(mostShown, Number(query.limit) || pageSize);
  const list = useRuns(filter, limit);
  const isFiltered = Object.keys(filter).some((key) => key !== "scope");
  return (
    <>
      <PageHeader
        title="Runs"
        lead="Every execution of a workflow: what began it, how far it is, and how it ended."
      />
      <Filters query={query} setQuery={setQuery} />
      <DataTable
        label="Runs"
        list={list}
        rowKey={(run) => run.id}
        to={(run) => paths.run(run.id)}
        columns={scope.includes("/") ? columns.filter(({ key }) => key !== "scope") : columns}
        empty={
          isFiltered ? (
            <EmptyState
              title="No run fits"
              action={
                <Button variant="default" onClick={() => setQuery(nothing)}>
                  Show all runs
                </Button>
              }
            >
              No run in this scope has what the filters ask for.
            </EmptyState>
          ) : (
            <EmptyState title="No runs yet" command="reeve run WORKFLOW">
              A run begins when somebody starts a workflow, when its schedule is due, or when a webhook calls.
            </EmptyState>
          )
        }
      />
      {list.rows.length >= limit && (
        <Group justify="center" mt="sm">
          {limit < mostShown ? (
            <Button
              variant="default"
              onClick={() => setQuery({ limit: String(Math.min(mostShown, limit * 2)) })}
            >
              Show older runs
            </Button>
          ) : (
            <Text size="sm" c="dimmed">
              These are the newest {mostShown}. Narrow the list to see older ones.
            </Text>
          )}
        </Group>
      )}
    </>
  );
}

const nothing = {
  state: undefined,
  workflow: undefined,
  cause: undefined,
  within: undefined,
  limit: undefined,
};

const columns = [
  {
    key: "workflow",
    title: "Workflow",
    cell: ({ about }: Run) => <span className={classes.mono}>{about.name}</span>,
  },
  { key: "state", title: "State", cell: (run: Run) => <RunState run={run} /> },
  {
    key: "id",
    title: "Run",
    wide: true,
    cell: ({ id }: Run) => <span className={classes.mono}>{shortId(id)}</span>,
  },
  {
    key: "scope",
    title: "Scope",
    wide: true,
    cell: ({ scope }: Run) => <span className={classes.mono}>{scope}</span>,
  },
  { key: "cause", title: "Cause", wide: true, cell: (run: Run) => causeText(run) },
  { key: "begun", title: "Begun", cell: ({ createdAt }: Run) => <Age at={createdAt} /> },
  {
    key: "took",
    title: "Took",
    cell: ({ startedAt, endedAt }: Run) => <Took from={startedAt} to={endedAt} />,
  },
  {
    key: "why",
    title: "Why",
    wide: true,
    cell: (run: Run) => (
      <Text size="sm" c="dimmed" lineClamp={1} title={whyText(run)}>
        {whyText(run)}
      </Text>
    ),
  },
];

/** The state, and what people must know beside it. */
function RunState({ run }: { readonly run: Run }) {
  if (run.cancelling) return <RunStateBadge state="waiting" word="cancelling" />;
  if (run.paused) return <RunStateBadge state="waiting" word="paused" />;
  if (run.waits) return <RunStateBadge state="waiting" />;
  return <RunStateBadge state={run.state} />;
}

interface FilterProps {
  readonly query: Readonly<Record<string, string>>;
  readonly setQuery: (patch: Readonly<Record<string, string | undefined>>) => void;
}

function Filters({ query, setQuery }: FilterProps) {
  const [workflow, setWorkflow] = useState(query.workflow ?? "");
  return (
    <Group gap="xs" mb="sm" role="search" aria-label="Which runs">
      <MultiSelect
        size="xs"
        aria-label="State"
        placeholder={query.state ? "" : "Any state"}
        data={[...runStates]}
        value={query.state ? query.state.split(",") : []}
        onChange={(states) => setQuery({ state: states.join(",") || undefined })}
        clearable
        miw={150}
      />
      <TextInput
        size="xs"
        aria-label="Workflow"
        placeholder="Workflow"
        value={workflow}
        onChange={(event) => setWorkflow(event.currentTarget.value)}
        onBlur={() => setQuery({ workflow: workflow || undefined })}
        onKeyDown={(event) => event.key === "Enter" && setQuery({ workflow: workflow || undefined })}
      />
      <Select
        size="xs"
        aria-label="Cause"
        placeholder="Any cause"
        data={[...runCauses]}
        value={query.cause ?? null}
        onChange={(cause) => setQuery({ cause: cause ?? undefined })}
        clearable
        w={130}
      />
      <Select
        size="xs"
        aria-label="Begun within"
        placeholder="Any time"
        data={Object.keys(periods).map((value) => ({ value, label: `Last ${value}` }))}
        value={query.within ?? null}
        onChange={(within) => setQuery({ within: within ?? undefined })}
        clearable
        w={130}
      />
    </Group>
  );
}
