import { Text } from "@mantine/core";
import { type Column, DataTable, paths, useList } from "@reeve/kit";
import { Service } from "../../kinds/index.ts";
import type { ServiceResource } from "../seen.ts";
import { SeenState, stateOf } from "../service-state.tsx";
import { shortRevision } from "./repository-resource.ts";
import type { TabProps } from "./repository-tabs.tsx";

/** The services that have their files here, of its scope and below. */
export function ServicesTab({ repository: { metadata } }: TabProps) {
  const list = useList<ServiceResource>(Service, metadata.scope);
  const rows = list.rows.filter(({ spec }) => spec.source?.repository === metadata.name);
  return (
    <DataTable
      label={`Services of ${metadata.name}`}
      list={{ ...list, rows }}
      columns={columns}
      rowKey={({ metadata: { uid } }) => uid}
      to={({ metadata: { scope, name } }) => paths.resource(Service, scope, name)}
      empty={<Text c="dimmed">No service names it as its source yet.</Text>}
    />
  );
}

const columns: readonly Column<ServiceResource>[] = [
  {
    key: "name",
    title: "Service",
    sort: ({ metadata }) => metadata.name,
    cell: ({ metadata }) => <span className="mono">{metadata.name}</span>,
  },
  {
    key: "folder",
    title: "Folder",
    cell: ({ spec }) => <span className="mono">{spec.source?.folder ?? "all of it"}</span>,
  },
  { key: "state", title: "State", cell: (row) => <SeenState state={stateOf(row, false)} /> },
  {
    key: "source",
    title: "Files",
    wide: true,
    cell: ({ status }) => status.conditions?.find(({ type }) => type === "Source")?.message ?? "not read yet",
  },
  {
    key: "revision",
    title: "Changed at",
    wide: true,
    cell: ({ status }) => (
      <span className="mono">{status.source === undefined ? "" : shortRevision(status.source.revision)}</span>
    ),
  },
];
