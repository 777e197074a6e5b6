import { Tabs } from "@mantine/core";
import {
  CodeView,
  EventsView,
  FaultView,
  HistoryView,
  type KindTab,
  ResourceOverview,
  StaleNote,
  useQuery,
  useResource,
  writableText,
} from "@reeve/kit";
import type { Resource, Scope } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { KindInfo } from "@reeve/sdk";
import { lazy, Suspense, useMemo } from "react";
import { webAreas } from "../areas.ts";
import { Loading } from "../shell/fallbacks.tsx";
import { DetailHeader } from "./detail-header.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly scope: Scope;
  readonly name: string;
}

/** A resource of any kind: how it is, what was written, what happened, and what can be done. */
export function ResourceDetail({ kind, scope, name }: Props) {
  const live = useResource(kind, scope, name);
  const { resource, fault } = live;
  if (resource === undefined) return fault === undefined ? <Loading /> : <FaultView fault={fault} />;
  return (
    <>
      <DetailHeader kind={kind} resource={resource} elsewhere={actsOf(tabsOf(kind))} />
      <StaleNote list={live} />
      <DetailTabs kind={kind} resource={resource} />
    </>
  );
}

function DetailTabs({ kind, resource }: { readonly kind: KindInfo; readonly resource: Resource }) {
  const [query, setQuery] = useQuery();
  const more = tabsOf(kind);
  const first = more.find((one) => one.main)?.name ?? "overview";
  const names = ["overview", ...more.map((tab) => tab.name), "yaml", "events", "history"];
  const tab = names.includes(query.tab ?? "") ? (query.tab as string) : first;
  return (
    <Tabs
      value={tab}
      onChange={(next) => setQuery({ tab: next === first ? undefined : (next ?? undefined) }, { push: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {first === "overview" && <Tabs.Tab value="overview">Overview</Tabs.Tab>}
        {more.map((one) => (
          <Tabs.Tab key={one.name} value={one.name}>
            {one.label}
          </Tabs.Tab>
        ))}
        {first !== "overview" && <Tabs.Tab value="overview">Overview</Tabs.Tab>}
        <Tabs.Tab value="yaml">YAML</Tabs.Tab>
        <Tabs.Tab value="events">Events</Tabs.Tab>
        <Tabs.Tab value="history">History</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="overview">
        <ResourceOverview kind={kind} resource={resource} />
      </Tabs.Panel>
      {more.map((one) => (
        <Tabs.Panel key={one.name} value={one.name}>
          <AreaTab tab={one} resource={resource} />
        </Tabs.Panel>
      ))}
      <Tabs.Panel value="yaml">
        <CodeView
          text={query.whole === undefined ? writableText(kind, resource) : toYaml(resource)}
          label={`${kind.name} as YAML`}
        />
      </Tabs.Panel>
      <Tabs.Panel value="events">
        <EventsView kind={kind} resource={resource} />
      </Tabs.Panel>
      <Tabs.Panel value="history">
        <HistoryView kind={kind} resource={resource} />
      </Tabs.Panel>
    </Tabs>
  );
}

function tabsOf(kind: KindInfo): readonly KindTab[] {
  return webAreas.flatMap((area) => area.tabs ?? []).filter((tab) => tab.kind === kind.name);
}

function actsOf(tabs: readonly KindTab[]): Record<string, string> {
  return Object.fromEntries(tabs.flatMap(({ name, acts = [] }) => acts.map((act) => [act, name])));
}

function AreaTab({ tab, resource: { metadata } }: { readonly tab: KindTab; readonly resource: Resource }) {
  const Content = useMemo(() => lazy(tab.load), [tab]);
  return (
    <Suspense fallback={<Loading />}>
      <Content scope={metadata.scope} name={metadata.name} />
    </Suspense>
  );
}
