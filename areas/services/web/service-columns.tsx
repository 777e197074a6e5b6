import { Group, Text } from "@mantine/core";
import { Age, type Column, PageLink, paths, placeColumns, RunStateBadge } from "@reeve/kit";
import type { Run, RunResult } from "@reeve/model";
import { hostsText, type ServiceResource } from "./seen.ts";
import { Containers, Generations, Health, None, SeenState, stateOf } from "./service-state.tsx";

interface Known {
  /** Runs under way, by the service's uid. */
  readonly changing: ReadonlyMap<string, Run>;
  readonly results: ReadonlyMap<string, readonly RunResult[]>;
  /** Services of several scopes are shown together. */
  readonly isMixed: boolean;
}

type Row = ServiceResource;

export function serviceColumns({ changing, results, isMixed }: Known): Column<Row>[] {
  const state = (row: Row) => stateOf(row, changing.has(row.metadata.uid));
  const last = ({ metadata }: Row) => results.get(metadata.uid)?.at(-1);
  return [
    ...placeColumns<Row>(isMixed),
    { key: "state", title: "State", sort: state, cell: (row) => <SeenState state={state(row)} /> },
    { key: "hosts", title: "Hosts", wide: true, cell: (row) => <Hosts service={row} /> },
    {
      key: "generation",
      title: "Generation",
      wide: true,
      sort: ({ status }) => status.deployed,
      cell: (row) => <Generations service={row} />,
    },
    {
      key: "containers",
      title: "Running",
      cell: ({ status }) => <Containers instances={status.instances ?? []} />,
    },
    {
      key: "health",
      title: "Health",
      wide: true,
      cell: ({ status }) => <Health instances={status.instances ?? []} />,
    },
    {
      key: "last",
      title: "Last deploy",
      wide: true,
      sort: (row) => last(row)?.createdAt,
      cell: (row) => <LastDeploy result={last(row)} />,
    },
  ];
}

const hostsShown = 3;

/** Where it is; where it is to be, as long as it is nowhere. */
function Hosts({ service: { spec, status } }: { readonly service: Row }) {
  const hosts = (status.instances ?? []).map(({ host }) => host);
  const more = hosts.length - hostsShown;
  if (hosts.length === 0)
    return (
      <Text span inherit c="dimmed">
        to be: {hostsText(spec.hosts)}
      </Text>
    );
  return (
    <span className="mono" title={hosts.join(", ")}>
      {hosts.slice(0, hostsShown).join(", ")}
      {more > 0 && ` and ${more} more`}
    </span>
  );
}

function LastDeploy({ result }: { readonly result: RunResult | undefined }) {
  if (result === undefined) return <None />;
  return (
    <PageLink to={paths.run(result.id)} style={{ color: "inherit", textDecoration: "none" }}>
      <Group gap="xs" wrap="nowrap">
        <RunStateBadge state={result.state} />
        <Age at={result.createdAt} />
      </Group>
    </PageLink>
  );
}
