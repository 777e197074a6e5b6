import { Stack } from "@mantine/core";
import {
  type Column,
  DataTable,
  EmptyState,
  PageHeader,
  paths,
  ReasonedButton,
  useAgents,
  useCan,
  useList,
  useQuery,
  useScope,
} from "@reeve/kit";
import { IconPlus } from "@tabler/icons-react";
import { useMemo } from "react";
import { AgentState, Heartbeat, type HostResource, Load, systemOf } from "./agent-state.tsx";
import { JoinDialog } from "./join-dialog.tsx";
import { JoinTokens } from "./join-tokens.tsx";
import { Labels } from "./labels.tsx";

const hosts = { name: "Host", plural: "hosts" };

/** Every host that serves the scope or a part of it, with what its agent does now. */
export default function HostsPage() {
  const scope = useScope();
  const [{ join, labels, state }, setQuery] = useQuery();
  const list = useList<HostResource>(hosts, scope, {
    ...(labels !== undefined && { labels }),
    ...(state !== undefined && { fields: { "status.agent": state } }),
  });
  const agents = useAgents(scope);
  const can = useCan({ verb: "issue", kind: "JoinToken", scope: joinScope(scope) });
  const columns = useMemo(() => columnsOf(agents), [agents]);
  const open = () => setQuery({ join: "yes" });
  const button = (
    <ReasonedButton
      label="Join a machine"
      icon={<IconPlus size={14} />}
      variant="filled"
      why={can.reason}
      onClick={open}
    />
  );
  return (
    <>
      <PageHeader
        title="Hosts"
        lead="Machines with an agent on them. An agent dials out, serves its scope and everything below, and does the steps of runs."
        actions={button}
      />
      <Stack>
        <DataTable
          label="Hosts"
          list={list}
          columns={columns}
          rowKey={({ metadata }) => metadata.uid}
          to={({ metadata }) => paths.resource(hosts, metadata.scope, metadata.name)}
          empty={
            <EmptyState title="No host yet" action={button}>
              A host is a machine with Reeve's agent on it. The button makes a token and shows the one command
              to run there; from a terminal it is <code>reeve agent token</code>.
            </EmptyState>
          }
        />
        <JoinTokens scope={scope} />
      </Stack>
      {join !== undefined && can.allowed !== false && (
        <JoinDialog scope={joinScope(scope)} onClose={() => setQuery({ join: undefined })} />
      )}
    </>
  );
}

/** A host lives in the installation, an organization or a project; what is joined in a workspace serves its project. */
function joinScope(scope: string): string {
  return scope.split("/").slice(0, 2).join("/");
}

function columnsOf(agents: ReturnType<typeof useAgents>): readonly Column<HostResource>[] {
  return [
    {
      key: "name",
      title: "Name",
      cell: ({ metadata }) => metadata.name,
      sort: ({ metadata }) => metadata.name,
    },
    {
      key: "agent",
      title: "Agent",
      cell: (host) => <AgentState host={host} />,
      sort: ({ status }) => status.agent,
    },
    {
      key: "heard",
      title: "Heard",
      cell: (host) => <Heartbeat host={host} now={agents.get(host.metadata.uid)} />,
    },
    {
      key: "load",
      title: "Running",
      wide: true,
      cell: (host) => <Load host={host} now={agents.get(host.metadata.uid)} />,
    },
    {
      key: "scope",
      title: "Scope",
      wide: true,
      cell: ({ metadata }) => metadata.scope || "installation",
      sort: ({ metadata }) => metadata.scope,
    },
    { key: "system", title: "System", wide: true, cell: systemOf },
    {
      key: "version",
      title: "Version",
      wide: true,
      cell: ({ status }) => status.version,
      sort: ({ status }) => status.version,
    },
    {
      key: "labels",
      title: "Labels",
      wide: true,
      cell: ({ metadata }) => <Labels labels={metadata.labels} />,
    },
  ];
}
