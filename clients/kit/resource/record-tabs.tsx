import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { CodeView } from "../ui/code-view.tsx";
import type { PageTab } from "../ui/page-tabs.tsx";
import { EventsView } from "./events-view.tsx";
import { HistoryView } from "./history-view.tsx";
import { ResourceOverview } from "./resource-overview.tsx";
import { writableText } from "./writable.ts";

/** What the tabs of a resource's page are about. */
export interface OfResource {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

/** The last tabs of every resource: how it is and why, what was written, when and by whom, and what happened. */
export const recordTabs: readonly PageTab<OfResource>[] = [
  { name: "status", label: "Status", View: ResourceOverview },
  { name: "yaml", label: "YAML", View: YamlTab },
  { name: "history", label: "Generations", View: HistoryView },
  { name: "events", label: "Events", View: EventsView },
];

function YamlTab({ kind, resource }: OfResource) {
  return <CodeView text={writableText(kind, resource)} label={`${kind.name} as YAML`} />;
}
