import { Group, Text, Tooltip } from "@mantine/core";
import { Age, StateBadge } from "@reeve/kit";
import type { ResourceOf } from "@reeve/model";
import type { AgentNow } from "@reeve/sdk";
import { IconAlertTriangle } from "@tabler/icons-react";
import type { Host } from "../kinds/index.ts";

export type HostResource = ResourceOf<typeof Host>;

/** What is known of a host's agent, in a word, with what troubles it. */
export function AgentState({ host: { status, spec } }: { readonly host: HostResource }) {
  const state = status.agent ?? "waiting";
  return (
    <Group gap={8} wrap="nowrap" component="span" display="inline-flex">
      <StateBadge state={state} word={spec.drained ? `${state}, drained` : state} />
      {status.troubles && (
        <Tooltip label={status.troubles.join("; ")}>
          <Text
            span
            c="orange"
            size="sm"
            tabIndex={0}
            aria-label={`in trouble: ${status.troubles.join("; ")}`}
          >
            <IconAlertTriangle size={15} aria-hidden />
          </Text>
        </Tooltip>
      )}
    </Group>
  );
}

/** When its agent was heard last: live while it is connected, else what the host's status says. */
export function Heartbeat({
  host,
  now,
}: {
  readonly host: HostResource;
  readonly now: AgentNow | undefined;
}) {
  const heard = now?.beatAt ?? host.status.seenAt;
  return heard === undefined ? <span>never</span> : <Age at={heard} />;
}

/** How much it does, of how much it could. */
export function Load({
  host: { status },
  now,
}: {
  readonly host: HostResource;
  readonly now: AgentNow | undefined;
}) {
  const slots = now?.slots ?? status.slots;
  if (slots === undefined) return null;
  return (
    <Text span size="sm" style={{ whiteSpace: "nowrap" }}>
      {now === undefined ? `${slots} slots` : `${now.held} of ${slots}`}
    </Text>
  );
}

/** "linux/x64, 4 CPUs, 8 GiB" */
export function systemOf({ status: { facts } }: HostResource): string | undefined {
  if (facts === undefined) return undefined;
  const { os, osVersion, arch, cpus, memoryBytes } = facts;
  const memory = memoryBytes === undefined ? undefined : `${Math.round(memoryBytes / 2 ** 30)} GiB`;
  return [osVersion ?? os, arch, cpus === undefined ? undefined : `${cpus} CPUs`, memory]
    .filter((part) => part)
    .join(", ");
}
