import { Button, Text } from "@mantine/core";
import { Age, type Column, client, DataTable, EmptyState, StateBadge, useAction, useAudit } from "@reeve/kit";
import type { AuditQuery, AuditRecord } from "@reeve/sdk";
import { useMemo, useState } from "react";
import { RecordDialog } from "./record-dialog.tsx";

interface Props {
  readonly query: AuditQuery;
  /** The revision of the record that is open. */
  readonly open: string | undefined;
  readonly onOpen: (revision: string | undefined) => void;
}

const pageSize = 100;

interface Older {
  /** Of which question. */
  readonly key: string;
  readonly rows: readonly AuditRecord[];
  /** Where those that are older still begin; undefined when there are none. */
  readonly next: number | undefined;
}

/** The newest records that fit, live, and older ones as they are asked for. */
export function AuditRecords({ query, open, onOpen }: Props) {
  const live = useAudit(query, pageSize);
  const key = JSON.stringify(query);
  const [older, setOlder] = useState<Older>();
  const { run, busy } = useAction();
  const rows = useMemo(() => {
    const all = [...live.rows, ...(older?.key === key ? older.rows : [])];
    return [...new Map(all.map((record) => [record.revision, record])).values()];
  }, [live.rows, older, key]);
  const columns = useMemo(() => columnsOf(onOpen), [onOpen]);
  const over = older?.key === key ? older.next === undefined : live.rows.length < pageSize;
  const more = () =>
    void run(async () => {
      const from = older?.key === key ? older.next : rows.at(-1)?.revision;
      const { items, next } = await client.audit.page(query, {
        limit: 500,
        ...(from !== undefined && { before: from }),
      });
      setOlder({ key, next, rows: [...(older?.key === key ? older.rows : []), ...items] });
    });
  const opened = rows.find(({ revision }) => String(revision) === open);
  return (
    <>
      <DataTable
        label="Records"
        list={{ ...live, rows }}
        columns={columns}
        rowKey={({ revision }) => String(revision)}
        empty={
          <EmptyState title="No record fits" command="reeve audit --since 24h">
            Records are kept for 400 days unless the installation says otherwise.
          </EmptyState>
        }
      />
      {!over && (
        <Button variant="default" onClick={more} loading={busy} style={{ alignSelf: "center" }}>
          Older ones
        </Button>
      )}
      {opened && <RecordDialog record={opened} onClose={() => onOpen(undefined)} />}
    </>
  );
}

function columnsOf(onOpen: Props["onOpen"]): readonly Column<AuditRecord>[] {
  return [
    { key: "at", title: "When", cell: ({ at }) => <Age at={at} />, sort: ({ revision }) => revision },
    { key: "who", title: "Who", cell: ({ subject }) => subject, sort: ({ subject }) => subject },
    {
      key: "did",
      title: "Did",
      cell: ({ operation, kind, name }) => (
        <Text span size="sm">
          {operation} {kind}{" "}
          <Text span ff="monospace" size="sm">
            {name}
          </Text>
        </Text>
      ),
      sort: ({ operation }) => operation,
    },
    {
      key: "scope",
      title: "In",
      wide: true,
      cell: ({ scope }) => scope || "installation",
      sort: ({ scope }) => scope,
    },
    { key: "outcome", title: "Outcome", cell: ({ outcome }) => <StateBadge state={outcome} /> },
    {
      key: "from",
      title: "From",
      wide: true,
      cell: ({ address }) => address,
      sort: ({ address }) => address,
    },
    { key: "reason", title: "Why", wide: true, cell: ({ reason }) => reason },
    {
      key: "more",
      title: "",
      align: "right",
      cell: ({ revision }) => (
        <Button
          variant="subtle"
          onClick={() => onOpen(String(revision))}
          aria-label={`All of record ${revision}`}
        >
          All
        </Button>
      ),
    },
  ];
}
