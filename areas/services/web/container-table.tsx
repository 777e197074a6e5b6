import { Text } from "@mantine/core";
import { Age, type Column, DataTable } from "@reeve/kit";
import type { Instance } from "../kinds/index.ts";
import { type Container, portsText } from "./seen.ts";
import { None, SeenState } from "./service-state.tsx";

/** The containers of a service on one host, as its agent saw them last. */
export function ContainerTable({ instance }: { readonly instance: Instance }) {
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

const columns: readonly Column<Container>[] = [
  { key: "container", title: "Container", cell: ({ name }) => <span className="mono">{name}</span> },
  {
    key: "container-state",
    title: "State",
    cell: (container) => <ContainerState container={container} />,
  },
  {
    key: "health",
    title: "Health",
    cell: ({ health }) => (health === "none" ? <None /> : <SeenState state={health} />),
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
function ContainerState({ container: { state, exitCode, stopped } }: { readonly container: Container }) {
  if (stopped !== undefined)
    return (
      <>
        <SeenState state="stopped" /> by {stopped.by}, <Age at={stopped.at} />
      </>
    );
  return (
    <>
      <SeenState state={state} />
      {exitCode !== undefined && ` with ${exitCode}`}
    </>
  );
}
