import { CodeView, EventsView, HistoryView, type PageTab, UsageCharts, writableText } from "@reeve/kit";
import type { Resource, Run } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { DeploysTab } from "./deploys-tab.tsx";
import { FilesTab } from "./files-tab.tsx";
import { InstancesTab } from "./instances-tab.tsx";
import { ServiceLogs } from "./logs/service-logs.tsx";
import type { ServiceResource } from "./seen.ts";

export interface TabProps {
  readonly kind: KindInfo;
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
  {
    name: "yaml",
    label: "YAML",
    View: ({ kind, service }) => (
      <CodeView text={writableText(kind, service as unknown as Resource)} label="Service as YAML" />
    ),
  },
  {
    name: "history",
    label: "Generations",
    View: ({ kind, service }) => <HistoryView kind={kind} resource={service as unknown as Resource} />,
  },
  {
    name: "events",
    label: "Events",
    View: ({ kind, service }) => <EventsView kind={kind} resource={service as unknown as Resource} />,
  },
];
