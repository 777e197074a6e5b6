import { Alert, Grid, Stack } from "@mantine/core";
import {
  Age,
  Facts,
  FaultView,
  Section,
  StaleNote,
  UsageCharts,
  useAgents,
  useResource,
  WithAges,
} from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { IconAlertTriangle } from "@tabler/icons-react";
import { AgentActions } from "./agent-actions.tsx";
import { AgentState, Heartbeat, type HostResource, Load } from "./agent-state.tsx";
import { Labels } from "./labels.tsx";
import { Work } from "./work.tsx";

const hosts = { name: "Host", plural: "hosts" };

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

/** The agent of a host: whether it is there, what it is, and what it does now. */
export default function AgentPage({ scope, name }: Props) {
  const live = useResource<HostResource>(hosts, scope, name);
  const agents = useAgents(scope);
  const { resource: host, fault } = live;
  if (fault) return <FaultView fault={fault} />;
  if (host === undefined) return null;
  const { status, spec, metadata } = host;
  const now = agents.get(metadata.uid);
  const connected = status.conditions?.find(({ type }) => type === "Connected");
  return (
    <Stack>
      <StaleNote list={live} />
      {status.troubles && (
        <Alert color="orange" icon={<IconAlertTriangle />} title="Its agent reports trouble">
          {status.troubles.join("; ")}
        </Alert>
      )}
      <Grid>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title="Agent" actions={<AgentActions host={host} />}>
            <Facts
              of={{
                State: <AgentState host={host} />,
                Since: connected && <Age at={connected.since} />,
                Says: connected && <WithAges text={connected.message} />,
                Heard: <Heartbeat host={host} now={now} />,
                Running: <Load host={host} now={now} />,
                Drained: spec.drained && "it is offered nothing new; what runs goes on to its end",
                Version: status.version,
                Executors: status.executors?.join(", "),
              }}
            />
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 6 }}>
          <Section title="Machine">
            <Facts
              of={{
                Description: spec.description,
                Labels: Object.keys(metadata.labels).length > 0 && <Labels labels={metadata.labels} />,
                "Host name": status.facts?.hostname,
                System: status.facts?.osVersion ?? status.facts?.os,
                Kernel: status.facts?.kernel,
                Architecture: status.facts?.arch,
                CPUs: status.facts?.cpus,
                Memory: memoryOf(status.facts?.memoryBytes),
                Booted: status.facts?.bootedAt && <Age at={status.facts.bootedAt} />,
                Capabilities: status.facts?.capabilities?.join(", "),
              }}
            />
          </Section>
        </Grid.Col>
      </Grid>
      <UsageCharts kind={hosts} scope={scope} name={name} />
      <Work host={host} />
    </Stack>
  );
}

function memoryOf(bytes: number | undefined): string | undefined {
  return bytes === undefined ? undefined : `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
