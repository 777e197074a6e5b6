import { Stack } from "@mantine/core";
import { type Column, DataTable, EmptyState, paths, useList } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { type Instance, Service } from "../kinds/index.ts";
import { FoundProjects } from "./adopt/found-projects.tsx";
import type { ServiceResource } from "./seen.ts";
import { Containers, Health, SeenState } from "./service-state.tsx";

interface Row {
  readonly service: ServiceResource;
  readonly instance: Instance;
}

/** The services that a host keeps, and what could become one. */
export default function HostServicesPage({ scope, name }: { readonly scope: Scope; readonly name: string }) {
  const list = useList<ServiceResource>(Service, scope);
  const rows = list.rows.flatMap((service): Row[] =>
    (service.status.instances ?? [])
      .filter(({ host, hostScope }) => host === name && hostScope === scope)
      .map((instance) => ({ service, instance })),
  );
  return (
    <Stack>
      <DataTable
        label={`Services on ${name}`}
        list={{ ...list, rows }}
        columns={columns}
        rowKey={({ service }) => service.metadata.uid}
        to={({ service: { metadata } }) => paths.resource(Service, metadata.scope, metadata.name)}
        empty={
          <EmptyState title="No service is kept here">
            A service names the hosts that it runs on, or labels that they have. Those that you may see and
            that are deployed to {name} turn up here.
          </EmptyState>
        }
      />
      <FoundProjects scope={scope} host={name} />
    </Stack>
  );
}

const columns: readonly Column<Row>[] = [
  {
    key: "service",
    title: "Service",
    sort: ({ service }) => service.metadata.name,
    cell: ({ service }) => <span className="mono">{service.metadata.name}</span>,
  },
  {
    key: "scope",
    title: "Scope",
    wide: true,
    cell: ({ service }) => <span className="mono">{service.metadata.scope}</span>,
  },
  {
    key: "state",
    title: "State",
    sort: ({ instance }) => instance.state,
    cell: ({ instance }) => <SeenState state={instance.state} />,
  },
  { key: "generation", title: "Generation", wide: true, cell: ({ instance }) => instance.generation },
  { key: "containers", title: "Running", cell: ({ instance }) => <Containers instances={[instance]} /> },
  { key: "health", title: "Health", wide: true, cell: ({ instance }) => <Health instances={[instance]} /> },
  { key: "why", title: "Why", wide: true, cell: ({ instance }) => instance.why },
];
