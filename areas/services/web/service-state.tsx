import { Text } from "@mantine/core";
import { StateBadge } from "@reeve/kit";
import { type Instance, serviceStateOf } from "../kinds/index.ts";
import { countContainers, healthOf, type ServiceResource } from "./seen.ts";

/** Which badge a word has: Docker's, an instance's and a service's are the same ones. */
const looks: Readonly<Record<string, string>> = {
  running: "ready",
  healthy: "ready",
  unhealthy: "failed",
  degraded: "failed",
  exited: "failed",
  dead: "failed",
  starting: "running",
  restarting: "degraded",
  changing: "running",
  deploying: "running",
  stopped: "stopped",
  "not deployed": "pending",
};

/** The state of a service, of it on one host, or of one container. */
export function SeenState({ state }: { readonly state: string }) {
  return <StateBadge state={looks[state] ?? state} word={state} />;
}

/** What a service does, in a word. */
export function stateOf(service: ServiceResource, isChanging: boolean): string {
  const { deletingAt, paused } = service.metadata;
  if (deletingAt !== undefined) return "deleting";
  if (paused) return "paused";
  return isChanging ? "deploying" : serviceStateOf(service.spec.state, service.status.instances);
}

export function Health({ instances }: { readonly instances: readonly Instance[] }) {
  const health = healthOf(instances);
  return health === undefined ? <None /> : <SeenState state={health} />;
}

/** `2 of 3`: how many containers run of those that should; and how many there are, where that is another number. */
export function Containers({ instances }: { readonly instances: readonly Instance[] }) {
  const { running, seen, wanted } = countContainers(instances);
  if (seen === 0 && wanted === 0) return <None />;
  return (
    <Text span inherit c={running < wanted ? "red" : undefined}>
      {running} of {wanted}
      {seen !== wanted && `, ${seen} there`}
    </Text>
  );
}

/** The generation on all hosts, and the one that is wanted where that is another. */
export function Generations({ service: { metadata, status } }: { readonly service: ServiceResource }) {
  if (status.deployed === undefined) return <None />;
  if (status.deployed === metadata.generation) return <>{status.deployed}</>;
  return <StateBadge state="degraded" word={`${status.deployed}, wanted ${metadata.generation}`} />;
}

export function None() {
  return (
    <Text span inherit c="dimmed">
      –
    </Text>
  );
}
