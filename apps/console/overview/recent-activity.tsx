import { Anchor, Text } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  type LiveList,
  PageLink,
  paths,
  RunStateBadge,
  Section,
  Took,
  useAudit,
  useCan,
  useKinds,
  useRuns,
} from "@reeve/kit";
import type { Scope } from "@reeve/model";
import type { AuditRecord, KindInfo } from "@reeve/sdk";
import { useMemo } from "react";
import { type Activity, activityOf } from "./activity.ts";

const runsRead = 12;
/** More than are shown: some of them are not shown here. */
const recordsRead = 50;
const noRecords: readonly AuditRecord[] = [];

interface Props {
  readonly scope: Scope;
}

/** What happened last, live: runs, and for those who may read the audit the changes that people made. */
export function RecentActivity({ scope }: Props) {
  // Not asked for without the right to it: a refusal would itself be recorded.
  const { allowed } = useCan({ verb: "read", kind: "audit", scope });
  return allowed ? <WithRecords scope={scope} /> : <ActivityTable scope={scope} records={noRecords} />;
}

function WithRecords({ scope }: Props) {
  const { rows } = useAudit({ ...(scope && { scope }), outcome: "done" }, recordsRead);
  return <ActivityTable scope={scope} records={rows} />;
}

function ActivityTable({ scope, records }: Props & { readonly records: readonly AuditRecord[] }) {
  const runs = useRuns(scope ? { scope } : {}, runsRead);
  const kinds = useKinds();
  const list: LiveList<Activity> = useMemo(() => {
    const known = new Set(kinds.map(({ name }) => name));
    return { ...runs, rows: activityOf(runs.rows, records, known) };
  }, [runs, records, kinds]);
  return (
    <Section
      title="Recent activity"
      actions={
        <Anchor component={PageLink} to={paths.runs({ scope: scope || undefined })} size="sm">
          All runs
        </Anchor>
      }
    >
      <DataTable
        label="Recent activity"
        list={list}
        columns={columns}
        rowKey={({ key }) => key}
        to={(one) => addressOf(one, kinds)}
        empty={
          <EmptyState title="Nothing has happened yet" command="npx reeve run NAME">
            Runs and changes turn up here. A run is one execution of a workflow, by hand, by its schedule or
            by a webhook: write a workflow first, then run it from its page or by this command.
          </EmptyState>
        }
      />
    </Section>
  );
}

const columns: readonly Column<Activity>[] = [
  {
    key: "what",
    title: "What",
    cell: ({ run, record }) => (run ? `Run of ${run.about.name}` : `${record?.kind} ${record?.name}`),
  },
  {
    key: "state",
    title: "Became",
    cell: ({ run, record }) =>
      run ? (
        <RunStateBadge state={run.waits ? "waiting" : run.state} />
      ) : (
        <Text size="sm">{record?.operation}</Text>
      ),
  },
  {
    key: "scope",
    title: "Scope",
    cell: ({ run, record }) => (run ?? record)?.scope || "installation",
    wide: true,
  },
  { key: "by", title: "By", cell: ({ run, record }) => run?.by ?? record?.subject, wide: true },
  { key: "at", title: "When", cell: ({ at }) => <Age at={at} /> },
  {
    key: "took",
    title: "Took",
    cell: ({ run }) => run && <Took from={run.startedAt} to={run.endedAt} />,
    wide: true,
  },
];

/** What is gone has no page; its record has. */
function addressOf({ run, record }: Activity, kinds: readonly KindInfo[]): string {
  if (run) return paths.run(run.id);
  const kind = kinds.find(({ name }) => name === record?.kind);
  return kind && record && record.operation !== "delete"
    ? paths.resource(kind, record.scope, record.name)
    : paths.audit({ record: record?.revision });
}
