import { List, Stack, Text } from "@mantine/core";
import { ActionButton, client, useWhyNot } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconPlayerPlay, IconPlayerStop, IconRocket } from "@tabler/icons-react";
import { Service } from "../kinds/index.ts";
import { DifferenceView } from "./difference-view.tsx";
import { hostsText, type ServiceResource } from "./seen.ts";

interface Props {
  readonly service: ServiceResource;
}

export function DeployButton({ service }: Props) {
  const { metadata, spec, status } = service;
  const { generation, name } = metadata;
  const anew = status.deployed === generation;
  return (
    <ActionButton
      {...useBeginning(service, "deploy")}
      label="Deploy"
      icon={<IconRocket size={14} />}
      variant="filled"
      confirm={{
        title: `Deploy generation ${generation} of ${name}?`,
        text: (
          <Stack gap="sm">
            <DifferenceView service={service} />
            <Consequences
              lines={[
                `It goes to ${hostsText(spec.hosts)}${inTurn(service)}.`,
                "All hosts get ready first: if that fails on any, nothing is touched on any.",
                status.deployed === undefined
                  ? `Containers have ${spec.health.timeout} to become healthy; where they do not, nothing is left.`
                  : `Containers have ${spec.health.timeout} to become healthy; where they do not, the generation before is kept again.`,
                ...(anew ? ["This generation is there already: only what differs from it is changed."] : []),
                ...(spec.state === "stopped" ? ["It is to be stopped: no containers will run."] : []),
              ]}
            />
          </Stack>
        ),
      }}
    />
  );
}

export function StopButton({ service }: Props) {
  const { name } = service.metadata;
  return (
    <ActionButton
      {...useBeginning(service, "stop")}
      label="Stop"
      icon={<IconPlayerStop size={14} />}
      confirm={{
        title: `Stop ${name}?`,
        danger: true,
        text: (
          <Consequences
            lines={[
              `Its containers are removed from ${placesOf(service)}${inTurn(service)}.`,
              "It stays stopped, also after a restart of the agent, of Docker or of the host, until somebody starts it.",
              "Volumes and data stay.",
            ]}
          />
        ),
      }}
    />
  );
}

export function StartButton({ service }: Props) {
  const { metadata, spec } = service;
  return (
    <ActionButton
      {...useBeginning(service, "start")}
      label="Start"
      icon={<IconPlayerPlay size={14} />}
      confirm={{
        title: `Start ${metadata.name}?`,
        text: (
          <Consequences
            lines={[
              `Its containers are made on ${hostsText(spec.hosts)}${inTurn(service)}, as generation ${metadata.generation + 1} says.`,
              `They have ${spec.health.timeout} to become healthy.`,
            ]}
          />
        ),
      }}
    />
  );
}

/** What begins a run: the page shows how it goes as soon as it is there. */
function useBeginning(service: ServiceResource, action: "deploy" | "stop" | "start") {
  const { scope, name } = service.metadata;
  return {
    why: useWhyNot(action, service as unknown as Resource),
    run: (key: { idempotencyKey: string }) => client.kind(Service).act(scope, name, action, {}, key),
    done: `A run has begun to ${action} ${name}`,
  };
}

function placesOf({ spec, status }: ServiceResource): string {
  const seen = status.instances?.map(({ host }) => host).join(", ");
  return seen || hostsText(spec.hosts);
}

function inTurn({ spec: { hosts } }: ServiceResource): string {
  return hosts.labels === undefined && hosts.names?.length === 1 ? "" : ", one host after the other";
}

function Consequences({ lines }: { readonly lines: readonly string[] }) {
  return (
    <Stack gap="xs">
      <Text size="sm">What will happen:</Text>
      <List size="sm" spacing={4}>
        {lines.map((line) => (
          <List.Item key={line}>{line}</List.Item>
        ))}
      </List>
    </Stack>
  );
}
