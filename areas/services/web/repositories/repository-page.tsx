import { Skeleton, Stack } from "@mantine/core";
import {
  FaultView,
  KindActions,
  Notice,
  PageTabs,
  ResourceHead,
  readPath,
  StaleNote,
  useKind,
  usePath,
  useResource,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Repository } from "../../kinds/index.ts";
import { FetchedState } from "./fetched-state.tsx";
import { fetchedOf, fromText, type RepositoryResource } from "./repository-resource.ts";
import { type TabProps, tabs } from "./repository-tabs.tsx";

/** Files are written where they are read. */
const elsewhere = { write: "files" };

/** A repository: its files at the revision that was fetched, to read and to change, and what comes from it. */
export default function RepositoryPage() {
  const { scope, rest } = readPath(usePath());
  const kind = useKind(Repository.name) as KindInfo;
  const { resource, ...shown } = useResource<RepositoryResource>(kind, scope, rest[1] ?? "");
  if (shown.fault) return <FaultView fault={shown.fault} />;
  if (resource === undefined) return <Skeleton height={320} />;
  const fetched = fetchedOf(resource);
  const of = { kind, resource: resource as unknown as Resource, repository: resource };
  return (
    <>
      <Head {...of} />
      <StaleNote list={shown} />
      <Stack gap="md">
        {fetched?.status === "false" && (
          <Notice
            tone="bad"
            icon={<IconAlertTriangle size={18} />}
            title="The last fetch failed"
            text={fetched.message}
          />
        )}
        <PageTabs tabs={tabs} of={of} />
      </Stack>
    </>
  );
}

function Head({ kind, resource, repository }: TabProps) {
  return (
    <ResourceHead
      kind={kind}
      resource={resource}
      many="Repositories"
      state={<FetchedState repository={repository} />}
      lead={repository.spec.description ?? fromText(repository)}
      elsewhere={elsewhere}
      pausing={{ paused: "is paused: it is not fetched", resumed: "is fetched again" }}
    >
      <KindActions kind={kind} resource={resource} except={Object.keys(elsewhere)} />
    </ResourceHead>
  );
}
