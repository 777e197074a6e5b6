import { Skeleton, Tabs } from "@mantine/core";
import { FaultView, readPath, StaleNote, useKind, usePath, useQuery, useResource } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { WorkflowHead } from "./workflow-head.tsx";
import { tabs } from "./workflow-tabs.tsx";

/** A workflow: what it does, how its runs went, when it runs next, and who changed it. */
export default function WorkflowPage() {
  const { scope, rest } = readPath(usePath());
  const kind = useKind(Workflow.name) as KindInfo;
  const { resource, ...shown } = useResource<Resource<WorkflowSpec>>(kind, scope, rest[1] ?? "");
  const [query, patch] = useQuery();
  if (shown.fault) return <FaultView fault={shown.fault} />;
  if (resource === undefined) return <Skeleton height={320} />;
  const open = tabs.find(({ name }) => name === query.tab) ?? tabs[0];
  return (
    <>
      <WorkflowHead kind={kind} workflow={resource} />
      <StaleNote list={shown} />
      <Tabs value={open.name} onChange={(tab) => patch(only(tab), { push: true })} keepMounted={false}>
        <Tabs.List mb="md">
          {tabs.map(({ name, label, count }) => (
            <Tabs.Tab key={name} value={name}>
              {label}
              {count?.(resource) ? ` (${count(resource)})` : ""}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map(({ name, View }) => (
          <Tabs.Panel key={name} value={name}>
            <View kind={kind} workflow={resource} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </>
  );
}

/** What one tab has in the address means nothing to another. */
function only(tab: string | null): Record<string, string | undefined> {
  const others = { step: undefined, from: undefined, to: undefined, sort: undefined, ticks: undefined };
  return { ...others, tab: tab === tabs[0].name ? undefined : (tab ?? undefined) };
}
