import { Group } from "@mantine/core";
import { ActionButton, client, paths, ReasonedButton, useCan, useGo, useWhyNot } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import {
  IconFileText,
  IconPlayerPlay,
  IconPlayerStop,
  IconRefresh,
  IconTerminal2,
} from "@tabler/icons-react";
import { type Instance, Service } from "../kinds/index.ts";
import type { Container, ServiceResource } from "./seen.ts";
import { whyNotEnter, whyUnheard } from "./terminal/places.ts";

interface Props {
  readonly service: ServiceResource;
  readonly instance: Instance;
  readonly container: Container;
}

/** What can be done with one container; each says why not when it cannot be. */
export function ContainerActions({ service, instance, container }: Props) {
  const { scope, name } = service.metadata;
  const go = useGo();
  const logs = useCan({ verb: "logs", kind: Service.name, scope, name });
  const enter = useWhyNot("exec", service as unknown as Resource);
  const tab = (tab: string) => () =>
    go(paths.resource(Service, scope, name, { tab, host: instance.host, container: container.name }));
  return (
    <Group gap={4} justify="flex-end" miw={64}>
      <ReasonedButton
        iconOnly
        label={`Logs of ${container.name}`}
        icon={<IconFileText size={14} />}
        why={logs.allowed === false ? logs.reason : undefined}
        onClick={tab("logs")}
      />
      <ReasonedButton
        iconOnly
        label={`Terminal of ${container.name}`}
        icon={<IconTerminal2 size={14} />}
        why={enter ?? whyNotEnter(instance, container)}
        onClick={tab("terminal")}
      />
      <Restart {...{ service, instance, container }} />
      {container.stopped === undefined && container.state === "running" ? (
        <Stop {...{ service, instance, container }} />
      ) : (
        <Start {...{ service, instance, container }} />
      )}
    </Group>
  );
}

function Restart(props: Props) {
  const { label, ...doing } = useDoing("restart", props);
  return (
    <ActionButton
      {...doing}
      label={label}
      icon={<IconRefresh size={14} />}
      confirm={{
        title: `${label}?`,
        text: "It is stopped and started again, and does not answer meanwhile. The other containers stay as they are.",
      }}
    />
  );
}

function Start(props: Props) {
  return <ActionButton {...useDoing("start", props)} icon={<IconPlayerPlay size={14} />} />;
}

function Stop(props: Props) {
  const { label, ...doing } = useDoing("stop", props);
  return (
    <ActionButton
      {...doing}
      label={label}
      icon={<IconPlayerStop size={14} />}
      confirm={{
        title: `${label}?`,
        text: "It stays stopped, also after a restart of the agent or of Docker, until somebody starts it, restarts the service or deploys it. Until then the service is degraded, and it is shown who has stopped it.",
        danger: true,
      }}
    />
  );
}

const words = { start: "Start", stop: "Stop", restart: "Restart" } as const;

function useDoing(verb: keyof typeof words, { service, instance, container }: Props) {
  const { scope, name } = service.metadata;
  const input = { do: verb, container: container.name, host: instance.host };
  const why = useWhyNot("container", service as unknown as Resource);
  return {
    iconOnly: true,
    label: `${words[verb]} ${container.name}`,
    why: why ?? whyUnheard(instance),
    run: (key: { idempotencyKey: string }) => client.kind(Service).act(scope, name, "container", input, key),
    done: `A run has begun to ${verb} ${container.name}`,
  };
}
