import { type ActionHandler, giveTicket } from "@reeve/control";
import { Fault } from "@reeve/model";
import { readKept } from "@reeve/store";

interface Asked {
  readonly host?: string;
  readonly container?: string;
  readonly command: readonly string[];
  readonly tty: boolean;
}

/** A ticket for a command in a container. That it is the service's own is looked at where it is. */
export const exec: ActionHandler = async ({ resource, caller, input }, tools) => {
  const { host: wanted, container, command, tty } = input as Asked;
  const { uid, scope, name } = resource.metadata;
  const kept = await readKept(tools.database, uid);
  const meant = kept.filter(({ host }) => wanted === undefined || host === wanted);
  const place = meant.find(({ heard }) => heard);
  if (place === undefined) {
    const where = wanted === undefined ? "any host" : wanted;
    const why = meant.length > 0 ? "its agent is not connected" : `the service is not on ${where}`;
    throw new Fault("precondition", why, { next: "`reeve ps` shows where it is" });
  }
  const { host, agent } = place;
  const asked = { command: [...command], tty, ...(container === undefined ? {} : { container }) };
  return giveTicket(tools, caller, {
    ...{ at: { kind: "Service", scope, name }, uid, verb: "exec" },
    ...{ host, agent, opens: "service-exec", with: { service: uid, ...asked }, asked },
  });
};
