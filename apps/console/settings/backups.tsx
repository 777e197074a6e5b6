import { Text } from "@mantine/core";
import { Backup, shownSize, verdictOf } from "@reeve/backup/kinds";
import {
  ActionButton,
  Age,
  type Column,
  client,
  DataTable,
  paths,
  Section,
  StateBadge,
  useCan,
  useList,
} from "@reeve/kit";
import type { ResourceOf } from "@reeve/model";

type BackupResource = ResourceOf<typeof Backup>;

/** Copies of the whole installation. Each is verified by restoring it. */
export function Backups() {
  const list = useList<BackupResource>(Backup, "");
  const newest = { ...list, rows: list.rows.toSorted((a, b) => (taken(a) < taken(b) ? 1 : -1)).slice(0, 5) };
  const can = useCan({ verb: "create", kind: "Backup", scope: "" });
  const name = () => `console-${new Date().toISOString().slice(0, 19).replaceAll(/\D/g, "-")}`;
  return (
    <Section
      title="Backups"
      lead="Of the whole installation, encrypted, to the storage that the server's settings name; made every night where one is named."
      actions={
        <ActionButton
          label="Back up now"
          why={can.reason}
          run={(key) => client.kind(Backup).create({ metadata: { scope: "", name: name() }, spec: {} }, key)}
          done="The backup is being written."
        />
      }
    >
      <DataTable
        label="Backups"
        list={newest}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(Backup, "", metadata.name)}
        empty={
          <Text size="sm" c="dimmed">
            There is none yet.
          </Text>
        }
      />
    </Section>
  );
}

const taken = ({ status }: BackupResource) => status.takenAt ?? "9";

const columns: readonly Column<BackupResource>[] = [
  { key: "name", title: "Name", cell: ({ metadata }) => metadata.name },
  { key: "taken", title: "Taken", cell: ({ status }) => <Age at={status.takenAt} fallback="not yet" /> },
  { key: "size", title: "Size", wide: true, cell: ({ status }) => shownSize(status.bytes) },
  { key: "state", title: "State", cell: (backup) => <BackupState backup={backup} /> },
];

function BackupState({ backup: { status } }: { readonly backup: BackupResource }) {
  const verdict = verdictOf(status);
  if (verdict === undefined) return <StateBadge state="running" word={status.progress ?? "waiting"} />;
  return verdict.status === "true" ? (
    <StateBadge state="done" word="verified" />
  ) : (
    <StateBadge state="failed" word={verdict.reason} />
  );
}
