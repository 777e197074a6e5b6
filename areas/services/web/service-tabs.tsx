import { type OfResource, type PageTab, recordTabs, UsageCharts } from "@reeve/kit";
import type { Run } from "@reeve/model";
import { DeploysTab } from "./deploys-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { InstancesTab } from "./instances-tab.tsx";
import { ServiceLogs } from "./logs/service-logs.tsx";
import type { ServiceResource } from "./seen.ts";
import { TerminalTab } from "./terminal/terminal-tab.tsx";

export interface TabProps extends OfResource {
  readonly service: ServiceResource;
  /** The run that changes it now. */
  readonly run: Run | undefined;
}

export const tabs: readonly [PageTab<TabProps>, ...PageTab<TabProps>[]] = [
  {
    name: "instances",
    label: "Instances",
    View: InstancesTab,
    count: ({ service }) => service.status.instances?.length ?? 0,
  },
  {
    name: "logs",
    label: "Logs",
    View: ({ service: { metadata } }) => <ServiceLogs scope={metadata.scope} name={metadata.name} />,
  },
  { name: "terminal", label: "Terminal", View: TerminalTab },
  { name: "deploys", label: "Deploys", View: DeploysTab },
  {
    name: "usage",
    label: "Usage",
    View: ({ kind, service: { metadata } }) => (
      <UsageCharts kind={kind} scope={metadata.scope} name={metadata.name} />
    ),
  },
  {
    name: "files",
    label: "Files",
    View: FilesTab,
    count: ({ service }) => Object.keys(service.spec.files ?? {}).length,
  },
  ...recordTabs,
];
