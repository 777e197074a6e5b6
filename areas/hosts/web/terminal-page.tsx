import { client, FaultView, TerminalView, useResource, useWhyNot } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import type { TerminalTicket } from "@reeve/sdk";
import type { HostResource } from "./agent-state.tsx";

const hosts = { name: "Host", plural: "hosts" };

/** A shell on the host. */
export default function TerminalPage({ scope, name }: { readonly scope: Scope; readonly name: string }) {
  const { resource, fault } = useResource<HostResource>(hosts, scope, name);
  if (fault) return <FaultView fault={fault} />;
  return resource === undefined ? null : <Shell host={resource} />;
}

function Shell({ host }: { readonly host: HostResource }) {
  const { scope, name } = host.metadata;
  return (
    <TerminalView
      label={`Terminal of ${name}`}
      why={useWhyNot("shell", host)}
      ask={async (key) => (await client.kind(hosts).act(scope, name, "shell", {}, key)) as TerminalTicket}
    >
      A shell of the user that its agent runs as: mostly root, who may do everything on this host.
    </TerminalView>
  );
}
