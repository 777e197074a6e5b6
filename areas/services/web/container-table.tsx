import { Group, Text } from "@mantine/core";
import { Age, type Column, DataTable } from "@reeve/kit";
import { useMemo } from "react";
import type { Instance } from "../kinds/index.ts";
import { ContainerActions } from "./container-actions.tsx";
import { type Container, portsText, type ServiceResource } from "./seen.ts";
import { None, SeenState } from "./service-state.tsx";

interface Props {
  readonly service: ServiceResource;
  readonly instance: Instance;
}

/** The containers of a service on one host, as its agent saw them last, and what can be done with each. */
export function ContainerTable({ service, instance }: Props) {
  const columns = useMemo(
    () => [
      ...facts,
      {
        key: "container-actions",
        title: "Actions",
        align: "right" as const,
        cell: (container: Container) => <ContainerActions {...{ service, instance, container }} />,
      },
    ],
    [service, instance],
  );
  return (
    <DataTable
      label={`Containers on ${instance.host}`}
      list={{ rows: instance.containers, state: "live" }}
      columns={columns}
      rowKey={({ name }) => name}
      empty={null}
    />
  );
}

const facts: readonly Column<Container>[] = [
  {
    key: "container",
    title: "Container",
    // On a phone its name makes room for the others.
    cell: ({ name }) => (
      <span className="mono" style={{ overflowWrap: "anywhere" }}>
        {name}
      </span>
    ),
  },
  {
    key: "container-state",
    title: "State",
    cell: (container) => <ContainerState container={container} />,
  },
  { key: "image", title: "Image", wide: true, cell: ({ image }) => <span className="mono">{image}</span> },
  {
    key: "restarts",
    title: "Restarts",
    wide: true,
    align: "right",
    cell: ({ restarts }) => (
      <Text span inherit c={restarts > 0 ? "orange" : undefined}>
        {restarts}
      </Text>
    ),
  },
  {
    key: "ports",
    title: "Ports",
    wide: true,
    cell: ({ ports }) => (ports.length === 0 ? <None /> : <span className="mono">{portsText(ports)}</span>),
  },
  {
    key: "started",
    title: "Started",
    wide: true,
    cell: ({ startedAt }) => (startedAt === undefined ? <None /> : <Age at={startedAt} />),
  },
];

/** One that somebody stopped through Reeve is left so by its agent: that is no trouble, and it is said who did. */
function ContainerState({ container }: { readonly container: Container }) {
  const { state, health, exitCode, stopped } = container;
  if (stopped !== undefined)
    return (
      <>
        <SeenState state="stopped" /> by {stopped.by}, <Age at={stopped.at} />
      </>
    );
  return (
    <Group gap={4}>
      <SeenState state={state} />
      {exitCode !== undefined && `with ${exitCode}`}
      {health !== "none" && <SeenState state={health} />}
    </Group>
  );
}
