import { Button, Group, Select, Text } from "@mantine/core";
import {
  CodeView,
  DataTable,
  EmptyState,
  FindField,
  hasWords,
  PageHeader,
  PageLink,
  paths,
  useList,
  useQuery,
  useResults,
  useScope,
  wordsOf,
} from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { Service } from "../kinds/index.ts";
import { firstCompose } from "./first-service.ts";
import { hostsText, type ServiceResource } from "./seen.ts";
import { serviceColumns } from "./service-columns.tsx";
import { stateOf } from "./service-state.tsx";
import { templatesAt } from "./templates/address.ts";
import { useChanging } from "./use-changing.ts";

/** All services of a scope: how they are, where, and how they were deployed last. */
export default function ServicesPage() {
  const scope = useScope();
  const [{ q = "", state }, patch] = useQuery();
  const list = useList<ServiceResource>(Service, scope);
  const changing = useChanging(scope);
  const results = useResults(
    list.rows.map(({ metadata }) => metadata.uid),
    scope,
  );
  const stateNow = (row: ServiceResource) => stateOf(row, changing.has(row.metadata.uid));
  const rows = list.rows.filter((row) => fits(row, q) && (state === undefined || stateNow(row) === state));
  const isMixed = list.rows.some(({ metadata }) => metadata.scope !== scope);
  const columns = useMemo(() => serviceColumns({ changing, results, isMixed }), [changing, results, isMixed]);
  return (
    <>
      <PageHeader
        title="Services"
        lead="Docker Compose on one or many hosts: brought there by deploys, and kept true by the agents."
        actions={<NewButton scope={scope} />}
      />
      {list.rows.length > 0 && (
        <Group gap="xs" mb="sm">
          <FindField label="Find a service" placeholder="Find by name, label, host or image" />
          <Select
            aria-label="State"
            placeholder="Any state"
            data={[...new Set([...list.rows.map(stateNow), ...(state === undefined ? [] : [state])])].sort()}
            value={state ?? null}
            onChange={(next) => patch({ state: next ?? undefined })}
            clearable
            w={150}
          />
        </Group>
      )}
      <DataTable
        label="Services"
        list={{ ...list, rows }}
        columns={columns}
        rowKey={({ metadata }) => metadata.uid}
        to={({ metadata }) => paths.resource(Service, metadata.scope, metadata.name)}
        empty={
          list.rows.length === 0 ? (
            <NoServices scope={scope} />
          ) : (
            <Text c="dimmed">No service fits what you look for.</Text>
          )
        }
      />
    </>
  );
}

function NewButton({ scope }: { readonly scope: Scope }) {
  return (
    <Group gap="xs">
      <Button component={PageLink} to={templatesAt(scope)} variant="default">
        From a template
      </Button>
      <Button component={PageLink} to={paths.create(Service, scope)} leftSection={<IconPlus size={14} />}>
        New service
      </Button>
    </Group>
  );
}

function NoServices({ scope }: { readonly scope: Scope }) {
  return (
    <EmptyState
      title="No services yet"
      command="reeve apply -f service.yaml && reeve deploy web"
      action={<NewButton scope={scope} />}
    >
      <Text mb="xs">
        A service is a Compose file such as this one, and the hosts that it runs on. You write down what
        should run; a deploy brings it there, and the agents keep it that way, also while this server is away.
        A host needs an agent and Docker with Compose.
      </Text>
      <CodeView text={firstCompose} label="A Compose file" />
    </EmptyState>
  );
}

function fits(service: ServiceResource, q: string): boolean {
  const { spec, status } = service;
  const seen = (status.instances ?? []).flatMap(({ host, containers }) => [
    host,
    ...containers.map(({ image }) => image),
  ]);
  return hasWords([...wordsOf(service), spec.description ?? "", hostsText(spec.hosts), ...seen], q);
}
