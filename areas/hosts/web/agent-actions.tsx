import { ActionButton, client, Offered, useWhyNot } from "@reeve/kit";
import { IconPlayerPause, IconPlayerPlay, IconPlugConnectedX } from "@tabler/icons-react";
import type { HostResource } from "./agent-state.tsx";

/** Drain, resume, revoke; each says why not when it cannot be done. */
export function AgentActions({ host }: { readonly host: HostResource }) {
  const { scope, name, deletingAt } = host.metadata;
  const drained = host.spec.drained === true;
  const update = useWhyNot("update", host);
  const revoke = useWhyNot("revoke", host);
  const hosts = client.kind({ name: "Host", plural: "hosts" });
  const gone = deletingAt === undefined ? undefined : "the host is being deleted";
  return (
    <Offered value={name}>
      {drained ? (
        <ActionButton
          label="Resume"
          icon={<IconPlayerPlay size={14} />}
          why={gone ?? update}
          run={(key) => hosts.patch(scope, name, { spec: { drained: false } }, key)}
          done={`${name} is offered work again.`}
        />
      ) : (
        <ActionButton
          label="Drain"
          icon={<IconPlayerPause size={14} />}
          why={gone ?? update}
          run={(key) => hosts.patch(scope, name, { spec: { drained: true } }, key)}
          done={`${name} is offered nothing new.`}
        />
      )}
      <ActionButton
        label="Revoke"
        icon={<IconPlugConnectedX size={14} />}
        why={noAgent(host) ?? revoke}
        confirm={{
          title: `Revoke the agent of ${name}?`,
          text: "Its agent is let in no more, also if it is connected now; what it does is stopped. The host stays. To join again it needs a token that may take its place.",
          danger: true,
        }}
        run={(key) => hosts.act(scope, name, "revoke", {}, key)}
        done={`The agent of ${name} is let in no more.`}
      />
    </Offered>
  );
}

/** There must be one to be revoked. */
function noAgent({ status: { agent = "waiting" } }: HostResource): string | undefined {
  if (agent === "waiting") return "no agent has joined yet";
  return agent === "revoked" ? "its agent is revoked already" : undefined;
}
