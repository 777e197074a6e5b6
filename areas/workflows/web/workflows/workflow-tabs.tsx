import { type OfResource, type PageTab, recordTabs } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { WorkflowSpec } from "../../kinds/index.ts";
import { OverviewTab } from "./overview-tab.tsx";
import { RunsTab } from "./runs-tab.tsx";
import { SchedulesTab } from "./schedules-tab.tsx";
import { WebhooksTab } from "./webhooks-tab.tsx";

export interface TabProps extends OfResource {
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
  ...recordTabs,
];
