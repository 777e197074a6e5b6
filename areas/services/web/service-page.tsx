import { Skeleton, Stack } from "@mantine/core";
import { FaultView, PageTabs, readPath, StaleNote, useKind, usePath, useResource } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { Service } from "../kinds/index.ts";
import { NotAsWanted } from "./not-as-wanted.tsx";
import type { ServiceResource } from "./seen.ts";
import { ServiceHead } from "./service-head.tsx";
import { tabs } from "./service-tabs.tsx";
import { useChanging } from "./use-changing.ts";

/** A service: how it is on each of its hosts, why it is not as wanted, how it was deployed, and what was written. */
export default function ServicePage() {
  const { scope, rest } = readPath(usePath());
  const kind = useKind(Service.name) as KindInfo;
  const { resource, ...shown } = useResource<ServiceResource>(kind, scope, rest[1] ?? "");
  const changing = useChanging(scope);
  if (shown.fault) return <FaultView fault={shown.fault} />;
  if (resource === undefined) return <Skeleton height={320} />;
  const of = {
    kind,
    resource: resource as unknown as Resource,
    service: resource,
    run: changing.get(resource.metadata.uid),
  };
  return (
    <>
      <ServiceHead {...of} />
      <StaleNote list={shown} />
      <Stack gap="md">
        <NotAsWanted {...of} />
        <PageTabs tabs={tabs} of={of} />
      </Stack>
    </>
  );
}
