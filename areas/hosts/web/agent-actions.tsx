import { ActionButton, client, useCan } from "@reeve/kit";
import { IconPlayerPause, IconPlayerPlay, IconPlugConnectedX } from "@tabler/icons-react";
import { Host } from "../kinds/index.ts";
import type { HostResource } from "./agent-state.tsx";

/** Drain, resume, revoke; each says why not when it cannot be done. */
export function AgentActions({ host }: { readonly host: HostResource }) {
  const { scope, name, deletingAt } = host.metadata;
  const drained = host.spec.drained === true;
  const update = useCan({ verb: "update", kind: "Host", scope, name });
  const revoke = useCan({ verb: "revoke", kind: "Host", scope, name });
  const hosts = client.kind(Host);
  const gone = deletingAt === undefined ? undefined : "the host is being deleted";
  const may = Host.actions?.revoke?.can(host);
  const noAgent = host.status.agent === undefined || host.status.agent === "waiting";
  const cannotRevoke = may?.yes === false ? may.why : noAgent ? "no agent has joined yet" : revokedWhy(host);
  return (
    <>
      {drained ? (
        <ActionButton
          label="Resume"
          icon={<IconPlayerPlay size={14} />}
          why={gone ?? update.reason}
          run={(key) => hosts.patch(scope, name, { spec: { drained: false } }, key)}
          done={`${name} is offered work again.`}
        />
      ) : (
        <ActionButton
          label="Drain"
          icon={<IconPlayerPause size={14} />}
          why={gone ?? update.reason}
          run={(key) => hosts.patch(scope, name, { spec: { drained: true } }, key)}
          done={`${name} is offered nothing new.`}
        />
      )}
      <ActionButton
        label="Revoke"
        icon={<IconPlugConnectedX size={14} />}
        why={cannotRevoke ?? revoke.reason}
        confirm={{
          title: `Revoke the agent of ${name}?`,
          text: "Its agent is let in no more, also if it is connected now; what it does is stopped. The host stays. To join again it needs a token that may take its place.",
          danger: true,
        }}
        run={(key) => hosts.act(scope, name, "revoke", {}, key)}
        done={`The agent of ${name} is let in no more.`}
      />
    </>
  );
}

function revokedWhy({ status }: HostResource): string | undefined {
  return status.agent === "revoked" ? "its agent is revoked already" : undefined;
}
