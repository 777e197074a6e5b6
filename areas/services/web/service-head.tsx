import { KindActions, ResourceHead } from "@reeve/kit";
import { DeployButton, StartButton, StopButton } from "./service-actions.tsx";
import { SeenState, stateOf } from "./service-state.tsx";
import type { TabProps } from "./service-tabs.tsx";

/** Those of single containers stand beside them. */
const elsewhere = { exec: "terminal", container: "instances" };
/** Buttons of their own, that say what will happen. */
const ownButtons = [...Object.keys(elsewhere), "deploy", "stop", "start"];

/** Its name, its state, and what can be done with it. */
export function ServiceHead({ kind, resource, service, run }: TabProps) {
  const { spec, status } = service;
  return (
    <ResourceHead
      kind={kind}
      resource={resource}
      many="Services"
      state={<SeenState state={stateOf(service, run !== undefined)} />}
      lead={spec.description}
      elsewhere={elsewhere}
      pausing={{ paused: "is paused: Reeve changes nothing of it", resumed: "goes on" }}
      means={removal(status.instances?.map(({ host }) => host) ?? [])}
    >
      <DeployButton service={service} />
      {spec.state === "running" ? <StopButton service={service} /> : <StartButton service={service} />}
      <KindActions kind={kind} resource={resource} except={ownButtons} />
    </ResourceHead>
  );
}

function removal(hosts: readonly string[]): string | undefined {
  if (hosts.length === 0) return undefined;
  return `It goes from ${hosts.join(", ")} first: its containers, networks and files are removed there. Named volumes and other data in its folder stay.`;
}
