import { Button } from "@mantine/core";
import {
  Age,
  type Column,
  client,
  DataTable,
  EmptyState,
  PageHeader,
  paths,
  StateBadge,
  useAction,
  useLoaded,
  useQuery,
} from "@reeve/kit";
import { showBytes } from "@reeve/model";
import type { Recording } from "@reeve/sdk";
import { useState } from "react";

/** What terminals have shown, where that is recorded. */
export default function RecordingsPage() {
  const [{ scope, kind, name, subject }] = useQuery();
  const query = {
    ...(scope && { scope }),
    ...(kind && { kind }),
    ...(name && { name }),
    ...(subject && { subject }),
  };
  const key = JSON.stringify(query);
  const { value, fault } = useLoaded(key, () => client.recordings.page(query));
  const [older, setOlder] = useState<{ key: string; rows: readonly Recording[]; next?: string }>();
  const action = useAction();
  const more = older?.key === key ? older : { key, rows: [], ...(value?.next && { next: value.next }) };
  const rows = [...(value?.items ?? []), ...more.rows];
  return (
    <>
      <PageHeader
        title="Recordings"
        lead="What terminals have shown, for organizations that record it. What was typed is not in them; what was shown may hold secrets. Each replay is in the audit."
      />
      <DataTable
        label="Recordings"
        list={{ rows, state: fault ? "fault" : value ? "live" : "loading", ...(fault && { fault }) }}
        columns={columns}
        rowKey={({ id }) => id}
        to={({ id }) => paths.recording(id)}
        empty={
          <EmptyState title="Nothing is recorded" command="reeve edit organization/acme">
            An organization with recordTerminals: true in its spec records what its terminals show, from the
            next one that is opened on.
          </EmptyState>
        }
      />
      {more.next && (
        <Button
          variant="default"
          mt="sm"
          loading={action.busy}
          onClick={() =>
            void action.run(async () => {
              const { items, next } = await client.recordings.page(query, more.next);
              setOlder({ key, rows: [...more.rows, ...items], ...(next && { next }) });
            })
          }
        >
          Older ones
        </Button>
      )}
    </>
  );
}

const columns: readonly Column<Recording>[] = [
  { key: "at", title: "When", cell: ({ at }) => <Age at={at} />, sort: ({ at }) => at },
  { key: "who", title: "Who", cell: ({ subject }) => subject, sort: ({ subject }) => subject },
  {
    key: "what",
    title: "Terminal",
    cell: ({ verb, kind, name }) => (
      <>
        {verb} {kind} <span className="mono">{name}</span>
      </>
    ),
  },
  { key: "host", title: "Host", wide: true, cell: ({ host }) => <span className="mono">{host}</span> },
  {
    key: "scope",
    title: "In",
    wide: true,
    cell: ({ scope }) => scope || "installation",
    sort: ({ scope }) => scope,
  },
  {
    key: "end",
    title: "Ended",
    wide: true,
    cell: ({ endedAt }) =>
      endedAt ? <Age at={endedAt} /> : <StateBadge state="running" word="no end yet" />,
  },
  {
    key: "size",
    title: "Size",
    wide: true,
    align: "right",
    cell: ({ bytes }) => showBytes(bytes),
    sort: ({ bytes }) => bytes,
  },
];
