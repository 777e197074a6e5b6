import {
  DeleteButton,
  KindActions,
  PageHeader,
  PageLink,
  paths,
  ReasonedButton,
  useGo,
  useWhyNot,
} from "@reeve/kit";
import type { Resource } from "@reeve/model";
import { IconPencil } from "@tabler/icons-react";
import { Service } from "../kinds/index.ts";
import { DeployButton, StartButton, StopButton } from "./service-actions.tsx";
import { SeenState, stateOf } from "./service-state.tsx";
import type { TabProps } from "./service-tabs.tsx";

/** Buttons of their own, that say what will happen. */
const ownButtons = ["exec", "deploy", "stop", "start"];

/** Its name, its state, and what can be done with it. */
export function ServiceHead({ kind, service, run }: TabProps) {
  const { scope, name } = service.metadata;
  const go = useGo();
  const resource = service as unknown as Resource;
  const why = useWhyNot("update", resource);
  return (
    <PageHeader
      title={name}
      mono
      above={
        <>
          <PageLink to={paths.list(Service, scope)}>Services</PageLink> of{" "}
          <span className="mono">{scope}</span>
        </>
      }
      beside={<SeenState state={stateOf(service, run !== undefined)} />}
      lead={service.spec.description}
      actions={
        <>
          <DeployButton service={service} />
          {service.spec.state === "running" ? (
            <StopButton service={service} />
          ) : (
            <StartButton service={service} />
          )}
          <KindActions kind={kind} resource={resource} except={ownButtons} />
          <ReasonedButton
            label="Edit"
            icon={<IconPencil size={14} />}
            why={why}
            onClick={() => go(paths.edit(Service, scope, name))}
          />
          <DeleteButton
            kind={kind}
            resource={resource}
            means={removal(service.status.instances?.map(({ host }) => host) ?? [])}
            onDone={(gone) => gone && go(paths.list(Service, scope))}
          />
        </>
      }
    />
  );
}

function removal(hosts: readonly string[]): string | undefined {
  if (hosts.length === 0) return undefined;
  return `It goes from ${hosts.join(", ")} first: its containers, networks and files are removed there. Named volumes and other data in its folder stay.`;
}
