import { type Kind, kindCan, type Resource, type Verdict, yes } from "@reeve/model";
import {
  accessKinds,
  backupKinds,
  hostsKinds,
  notificationsKinds,
  secretsKinds,
  servicesKinds,
  workflowsKinds,
} from "@reeve/sdk/kinds";

const known = new Map(
  [accessKinds, secretsKinds, backupKinds, hostsKinds, notificationsKinds, servicesKinds, workflowsKinds]
    .flat()
    .map((kind) => [kind.name, kind]),
);

/** The kind with its columns and rules, if this console was built with it; of others, the server alone knows the rules. */
export function knownKind(name: string): Kind | undefined {
  return known.get(name);
}

/** Whether the resource is in a state for it; rights are another question. */
export function stateAllows(verb: string, resource: Resource): Verdict {
  const kind = knownKind(resource.kind);
  if (kind === undefined) return yes;
  if (verb === "update" || verb === "delete") return kindCan(kind, verb, resource);
  return kind.actions?.[verb]?.can(resource) ?? yes;
}
