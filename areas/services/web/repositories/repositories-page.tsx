import { Button, Text } from "@mantine/core";
import {
  Age,
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  PageLink,
  paths,
  useList,
  useScope,
} from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { Repository } from "../../kinds/index.ts";
import { FetchedState } from "./fetched-state.tsx";
import { fetchedOf, fromText, type RepositoryResource, shortRevision } from "./repository-resource.ts";

/** All repositories of a scope: which revision is known, and how the last fetch went. */
export default function RepositoriesPage() {
  const scope = useScope();
  const list = useList<RepositoryResource>(Repository, scope);
  return (
    <>
      <PageHeader
        title="Repositories"
        lead="Git repositories whose folders are services: what is pushed is fetched, checked and, where you want that, deployed."
        actions={<NewButton scope={scope} />}
      />
      <DataTable
        label="Repositories"
        list={list}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(Repository, metadata.scope, metadata.name)}
        empty={<NoRepositories scope={scope} />}
      />
    </>
  );
}

const columns: readonly Column<RepositoryResource>[] = [
  {
    key: "name",
    title: "Name",
    sort: ({ metadata }) => metadata.name,
    cell: ({ metadata }) => <span className="mono">{metadata.name}</span>,
  },
  {
    key: "state",
    title: "State",
    sort: (row) => fetchedOf(row)?.status,
    cell: (row) => <FetchedState repository={row} />,
  },
  {
    key: "revision",
    title: "Revision",
    cell: ({ status }) => (
      <span className="mono">{status.revision === undefined ? "none" : shortRevision(status.revision)}</span>
    ),
  },
  {
    key: "checked",
    title: "Asked",
    wide: true,
    sort: ({ status }) => status.checkedAt,
    cell: ({ status }) => (status.checkedAt === undefined ? "never" : <Age at={status.checkedAt} />),
  },
  {
    key: "services",
    title: "Services",
    sort: ({ status }) => status.services,
    cell: ({ status }) => status.services ?? 0,
  },
  { key: "from", title: "From", wide: true, cell: (row) => <span className="mono">{fromText(row)}</span> },
];

function NewButton({ scope }: { readonly scope: Scope }) {
  return (
    <Button component={PageLink} to={paths.create(Repository, scope)} leftSection={<IconPlus size={14} />}>
      New repository
    </Button>
  );
}

function NoRepositories({ scope }: { readonly scope: Scope }) {
  return (
    <EmptyState
      title="No repositories yet"
      command="reeve apply -f repository.yaml"
      action={<NewButton scope={scope} />}
    >
      <Text>
        A repository is the address of a Git server, a branch, and what opens it. Services name a folder of it
        as their source, and follow what is pushed there.
      </Text>
    </EmptyState>
  );
}
