import { CodeView, EventsView, HistoryView, type PageTab, writableText } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import type { WorkflowSpec } from "../../kinds/index.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { SchedulesTab } from "./schedules-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";

export interface TabProps {
  readonly kind: KindInfo;
  readonly workflow: Resource<WorkflowSpec>;
}

export const tabs: readonly [PageTab<TabProps>, ...PageTab<TabProps>[]] = [
  { name: "overview", label: "Overview", View: OverviewTab },
  { name: "runs", label: "Runs", View: RunsTab },
  {
    name: "schedules",
    label: "Schedules",
    View: SchedulesTab,
    count: ({ workflow }) => workflow.spec.schedules?.length ?? 0,
  },
  {
    name: "webhooks",
    label: "Webhooks",
    View: WebhooksTab,
    count: ({ workflow }) => workflow.spec.webhooks?.length ?? 0,
  },
  {
    name: "yaml",
    label: "YAML",
    View: ({ kind, workflow }) => (
      <CodeView text={writableText(kind, workflow as unknown as Resource)} label="Workflow as YAML" />
    ),
  },
  {
    name: "history",
    label: "Generations",
    View: ({ kind, workflow }) => <HistoryView kind={kind} resource={workflow as unknown as Resource} />,
  },
  {
    name: "events",
    label: "Events",
    View: ({ kind, workflow }) => <EventsView kind={kind} resource={workflow as unknown as Resource} />,
  },
];
