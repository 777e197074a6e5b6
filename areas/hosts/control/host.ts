import { type ActionHandler, type Admission, type Controller, giveTicket } from "@reeve/control";
import type { JsonObject } from "@reeve/model";
import { followHost, type HostOfAgent, revokeAgent, type Stored } from "@reeve/store";
import { refuseOurs } from "../kinds/index.ts";
import { followAgent } from "./follow-agent.ts";
import { revocation } from "./host-status.ts";

export const hostController: Controller = {
  kind: "Host",
  admit: admitHost,
  also: (host) => (sql) => followHost(sql, hostOfAgent(host)),
  actions: {
    shell: (request, tools) => shell(request, tools),
    revoke: (request, tools) => revoke(request, tools),
  },
  reconcile: followAgent,
};

function admitHost({ after }: Admission): Stored {
  refuseOurs(after.metadata.labels, "/metadata/labels");
  return after;
}

/** What the engine matches steps with. */
export function hostOfAgent({ metadata, spec }: Stored): HostOfAgent {
  const { uid, scope, name, labels } = metadata;
  const { drained = false, slots } = spec as { drained?: boolean; slots?: number };
  return { uid, scope, name, labels, drained, slotsAllowed: slots };
}

const shell: ActionHandler = ({ resource, caller }, tools) => {
  const { uid, scope, name } = resource.metadata;
  return giveTicket(tools, caller, {
    ...{ at: { kind: "Host", scope, name }, uid, verb: "shell" },
    ...{ host: name, agent: uid, opens: "host-shell", with: {}, asked: {} },
  });
};

const revoke: ActionHandler = async ({ resource }) => {
  const why = "revoked by a person";
  return {
    change: (host) => ({
      ...host,
      status: revocation(host.status, new Date().toISOString(), why) as JsonObject,
    }),
    also: (sql) => revokeAgent(sql, resource.metadata.uid),
    events: [{ tone: "warning", reason: "Revoked", message: "its agent is let in no more" }],
    output: () => ({}),
  };
};
