import { Anchor } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  PageLink,
  paths,
  RunStateBadge,
  Section,
  Took,
  useRuns,
} from "@reeve/kit";
import type { Run, Scope } from "@reeve/model";

const shownMost = 10;

const columns: readonly Column<Run>[] = [
  { key: "name", title: "Run of", cell: ({ about }) => about.name },
  { key: "state", title: "State", cell: ({ state }) => <RunStateBadge state={state} /> },
  { key: "scope", title: "Scope", cell: ({ scope }) => scope, wide: true },
  { key: "by", title: "Begun by", cell: ({ by }) => by, wide: true },
  { key: "began", title: "Began", cell: ({ createdAt }) => <Age at={createdAt} /> },
  {
    key: "took",
    title: "Took",
    cell: ({ startedAt, endedAt }) => <Took from={startedAt} to={endedAt} />,
    wide: true,
  },
];

/** The newest runs, live. */
export function RecentRuns({ scope }: { readonly scope: Scope }) {
  const list = useRuns(scope ? { scope } : {}, shownMost);
  return (
    <Section
      title="Recent runs"
      actions={
        <Anchor component={PageLink} to={paths.runs({ scope: scope || undefined })} size="sm">
          All runs
        </Anchor>
      }
    >
      <DataTable
        label="Recent runs"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        to={({ id }) => paths.run(id)}
        empty={
          <EmptyState title="No run yet" command="npx reeve run NAME">
            A run is one execution of a workflow, by hand, by its schedule or by a webhook. Write a workflow
            first, then run it from its page or by this command.
          </EmptyState>
        }
      />
    </Section>
  );
}
