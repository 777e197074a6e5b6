import { Stack, Text } from "@mantine/core";
import { Age, EmptyState, Facts, PageLink, paths, Section } from "@reeve/kit";
import type { Run } from "@reeve/model";
import type { Instance } from "../kinds/index.ts";
import { ContainerTable } from "./container-table.tsx";
import { DeployView } from "./deploy-view.tsx";
import { hostsText, instanceStateOf, type ServiceResource } from "./seen.ts";
import { SeenState } from "./service-state.tsx";
import type { TabProps } from "./service-tabs.tsx";

const host = { name: "Host", plural: "hosts" };

/** What is on each host now, and how a deploy goes while there is one. */
export function InstancesTab({ service, run }: TabProps) {
  const { instances = [] } = service.status;
  return (
    <Stack>
      {run !== undefined && <UnderWay run={run} />}
      {instances.length === 0 && run === undefined && (
        <EmptyState title="It is on no host yet" command={`reeve deploy ${service.metadata.name}`}>
          It is written down, and nothing runs. Deploy it to bring it to {hostsText(service.spec.hosts)}.
        </EmptyState>
      )}
      {instances.map((one) => (
        <InstanceSection key={one.host} service={service} instance={one} />
      ))}
      <Section title="Wanted">
        <Wanted service={service} />
      </Section>
    </Stack>
  );
}

function UnderWay({ run }: { readonly run: Run }) {
  return (
    <Section title={run.state === "queued" ? "A deploy waits for its turn" : "A deploy is under way"}>
      <DeployView id={run.id} />
    </Section>
  );
}

interface InstanceProps {
  readonly service: ServiceResource;
  readonly instance: Instance;
}

function InstanceSection({ service, instance }: InstanceProps) {
  return (
    <Section
      title={instance.host}
      lead={<About instance={instance} />}
      actions={<SeenState state={instanceStateOf(instance)} />}
    >
      {instance.containers.length === 0 ? (
        <Text size="sm" c="dimmed">
          There are no containers of it.
        </Text>
      ) : (
        <ContainerTable service={service} instance={instance} />
      )}
    </Section>
  );
}

function About({ instance }: { readonly instance: Instance }) {
  const { generation, trying, seenAt, hostScope, why } = instance;
  return (
    <>
      {generation === undefined ? "No generation is kept" : `Generation ${generation} is kept`}
      {trying !== undefined && trying !== generation && `, ${trying} is tried`}
      {seenAt && (
        <>
          {" · last change seen "}
          <Age at={seenAt} />
        </>
      )}
      {hostScope !== undefined && (
        <>
          {" · "}
          <PageLink to={paths.resource(host, hostScope, instance.host)}>the host</PageLink>
        </>
      )}
      {why && <Text size="sm">{why}</Text>}
    </>
  );
}

function Wanted({ service: { metadata, spec } }: { readonly service: ServiceResource }) {
  const environment = Object.entries(spec.environment ?? {});
  return (
    <Facts
      of={{
        State: spec.state,
        Hosts: hostsText(spec.hosts),
        Generation: metadata.generation,
        "Compose project": <span className="mono">{spec.project ?? metadata.name}</span>,
        "To become healthy": spec.health.timeout,
        Environment: environment.length > 0 && (
          <span className="mono">{environment.map(([name]) => name).join(", ")}</span>
        ),
      }}
    />
  );
}
