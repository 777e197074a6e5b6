import { Skeleton, Stack } from "@mantine/core";
import {
  DeleteButton,
  FaultView,
  KindActions,
  Notice,
  PageHeader,
  PageLink,
  PageTabs,
  paths,
  ReasonedButton,
  readPath,
  StaleNote,
  useGo,
  useKind,
  usePath,
  useResource,
  useWhyNot,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconAlertTriangle, IconPencil } from "@tabler/icons-react";
import { Repository } from "../../kinds/index.ts";
import { FetchedState } from "./fetched-state.tsx";
import { fetchedOf, fromText, type RepositoryResource } from "./repository-resource.ts";
import { type TabProps, tabs } from "./repository-tabs.tsx";

/** A repository: its files at the revision that was fetched, to read and to change, and what comes from it. */
export default function RepositoryPage() {
  const { scope, rest } = readPath(usePath());
  const kind = useKind(Repository.name) as KindInfo;
  const { resource, ...shown } = useResource<RepositoryResource>(kind, scope, rest[1] ?? "");
  if (shown.fault) return <FaultView fault={shown.fault} />;
  if (resource === undefined) return <Skeleton height={320} />;
  const fetched = fetchedOf(resource);
  const of = { kind, repository: resource };
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

function Head({ kind, repository }: TabProps) {
  const { scope, name } = repository.metadata;
  const go = useGo();
  const resource = repository as unknown as Resource;
  const why = useWhyNot("update", resource);
  return (
    <PageHeader
      title={name}
      mono
      above={
        <>
          <PageLink to={paths.list(Repository, scope)}>Repositories</PageLink> of{" "}
          <span className="mono">{scope}</span>
        </>
      }
      beside={<FetchedState repository={repository} />}
      lead={repository.spec.description ?? fromText(repository)}
      actions={
        <>
          <KindActions kind={kind} resource={resource} except={["write"]} />
          <ReasonedButton
            label="Edit"
            icon={<IconPencil size={14} />}
            why={why}
            onClick={() => go(paths.edit(Repository, scope, name))}
          />
          <DeleteButton
            kind={kind}
            resource={resource}
            onDone={(gone) => gone && go(paths.list(Repository, scope))}
          />
        </>
      }
    />
  );
}
