import { Text } from "@mantine/core";
import type { Run, Scope } from "@reeve/model";
import type { ReactNode } from "react";
import { useRuns } from "../../live/use-run.ts";
import { paths } from "../../paths.ts";
import { Age, Took } from "../age.tsx";
import { type Column, DataTable } from "../data-table.tsx";
import { RunStateBadge } from "./state.tsx";

interface Props {
  readonly of: { readonly kind: string; readonly scope: Scope; readonly name: string };
  readonly limit: number;
  /** Where a row leads; its own page when left out. */
  readonly to?: (run: Run) => string;
  readonly empty: ReactNode;
}

/** The newest runs of one definition, live. */
export function RunList({ of: { kind, scope, name }, limit, to, empty }: Props) {
  const list = useRuns({ scope, about: { kind, name } }, limit);
  return (
    <DataTable
      label={`Runs of ${name}`}
      list={list}
      columns={columns}
      rowKey={(run) => run.id}
      to={to ?? ((run) => paths.run(run.id))}
      empty={
        <Text size="sm" c="dimmed">
          {empty}
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
