import { Text } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  PageLink,
  paths,
  StateBadge,
  useList,
  useScope,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { ListedSchedule } from "@reeve/sdk";
import { useMemo } from "react";
import { Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { useSchedules } from "./use-schedules.ts";

/** Everything that runs by the clock, and when. */
export default function SchedulesPage() {
  const scope = useScope();
  const workflows = useList<Resource<WorkflowSpec>>(Workflow, scope);
  const revision = Math.max(0, ...workflows.rows.map(({ metadata }) => metadata.revision));
  const { value, fault } = useSchedules(scope, revision);
  const rows = useMemo(
    () => [...(value ?? [])].sort((a, b) => (a.nextAt ?? "9").localeCompare(b.nextAt ?? "9")),
    [value],
  );
  const state = fault ? "fault" : value === undefined ? "loading" : workflows.state;
  return (
    <>
      <PageHeader title="Schedules" lead="When workflows run by themselves, the next one first." />
      <DataTable
        label="Schedules"
        list={{ ...workflows, rows, state, ...(fault && { fault }) }}
        columns={columns}
        rowKey={(one) => [one.scope, one.workflow, one.name].join(" ")}
        to={(one) => paths.resource(Workflow, one.scope, one.workflow, { tab: "schedules" })}
        empty={
          <EmptyState title="Nothing is scheduled" command="reeve schedule preview WORKFLOW">
            A schedule is a part of a workflow: a cron pattern with a time zone. Its runs begin by themselves.
          </EmptyState>
        }
      />
    </>
  );
}

const columns: readonly Column<ListedSchedule>[] = [
  {
    key: "name",
    title: "Schedule",
    sort: ({ workflow, name }) => `${workflow} ${name}`,
    cell: ({ workflow, name }) => (
      <span className="mono">
        {workflow} {name}
      </span>
    ),
  },
  {
    key: "next",
    title: "Next",
    sort: ({ nextAt }) => nextAt ?? undefined,
    cell: (one) => <Next one={one} />,
  },
  {
    key: "cron",
    title: "Pattern",
    cell: ({ cron, timezone }) => (
      <>
        <span className="mono">{cron}</span>{" "}
        <Text span size="xs" c="dimmed">
          {timezone}
        </Text>
      </>
    ),
  },
  {
    key: "last",
    title: "Fired last",
    wide: true,
    sort: ({ lastAt }) => lastAt ?? undefined,
    cell: ({ lastAt, lastRun }) => (
      <>
        <Age at={lastAt ?? undefined} />{" "}
        {lastRun && (
          <PageLink to={paths.run(lastRun)} className="mono">
            {lastRun.slice(-8)}
          </PageLink>
        )}
      </>
    ),
  },
  {
    key: "scope",
    title: "Scope",
    wide: true,
    sort: ({ scope }) => scope,
    cell: ({ scope }) => <span className="mono">{scope || "installation"}</span>,
  },
  {
    key: "trouble",
    title: "Trouble",
    wide: true,
    cell: ({ trouble }) => (
      <Text size="sm" c="red" lineClamp={1} title={trouble}>
        {trouble}
      </Text>
    ),
  },
];

function Next({ one }: { readonly one: ListedSchedule }) {
  return one.paused ? (
    <StateBadge state="paused" />
  ) : (
    <Age at={one.nextAt ?? undefined} fallback="not any more" />
  );
}
