import { Skeleton } from "@mantine/core";
import { FaultView, PageTabs, readPath, StaleNote, useKind, usePath, useResource } from "@reeve/kit";
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
  if (shown.fault) return <FaultView fault={shown.fault} />;
  if (resource === undefined) return <Skeleton height={320} />;
  const of = { kind, resource: resource as unknown as Resource, workflow: resource };
  return (
    <>
      <WorkflowHead {...of} />
      <StaleNote list={shown} />
      <PageTabs tabs={tabs} of={of} />
    </>
  );
}
