import { Text } from "@mantine/core";
import { Age, type Column, DataTable, FaultView } from "@reeve/kit";
import type { RepositoryTree } from "@reeve/sdk";
import { shortRevision } from "./repository-resource.ts";
import type { TabProps } from "./repository-tabs.tsx";
import { useTree } from "./use-tree.ts";

type Commit = RepositoryTree["commits"][number];

/** The latest commits that have changed something in its folder. */
export function CommitsTab({ repository }: TabProps) {
  const { value, fault } = useTree(repository);
  if (fault !== undefined) return <FaultView fault={fault} />;
  return (
    <DataTable
      label="Commits"
      list={{ rows: value?.commits ?? [], state: value === undefined ? "loading" : "live" }}
      columns={columns}
      rowKey={({ revision }) => revision}
      empty={<Text c="dimmed">There are no commits.</Text>}
    />
  );
}

const columns: readonly Column<Commit>[] = [
  {
    key: "revision",
    title: "Revision",
    cell: ({ revision }) => (
      <span className="mono" title={revision}>
        {shortRevision(revision)}
      </span>
    ),
  },
  { key: "subject", title: "Message", cell: ({ subject }) => subject },
  { key: "by", title: "By", cell: ({ by }) => by },
  { key: "at", title: "When", sort: ({ at }) => at, cell: ({ at }) => <Age at={at} /> },
];
