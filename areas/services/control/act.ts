import type { ActionHandler, ActionPlan, Tools } from "@reeve/control";
import { Fault, showSubject } from "@reeve/model";
import { type KeptOn, readKept, readNow, type Stored } from "@reeve/store";
import type { ServiceAct, ServiceSeen } from "../kinds/index.ts";
import { draftAct } from "./draft-run.ts";

/** Begins the run that does something with what the hosts keep; what is recorded of the service stays as it is. */
export function acting(verb: "restart" | "pull"): ActionHandler {
  return async ({ resource, caller }, tools) => {
    const kept = await readKept(tools.database, resource.metadata.uid);
    return begin(tools, resource, kept, { do: verb, by: showSubject(caller.subject) });
  };
}

export const actOnContainer: ActionHandler = async ({ resource, caller, input }, tools) => {
  const { host, ...asked } = input as Pick<ServiceAct, "do"> & { container: string; host?: string };
  const kept = await readKept(tools.database, resource.metadata.uid);
  const having = kept.filter(
    (one) =>
      (host === undefined || one.host === host) &&
      (one.seen as unknown as ServiceSeen | null)?.containers.some(({ name }) => name === asked.container),
  );
  const [first, second] = having;
  if (first === undefined)
    throw new Fault("precondition", `no container ${asked.container} of this service was seen`, {
      next: `\`reeve ps ${resource.metadata.name}\` shows those there are`,
    });
  if (second !== undefined)
    throw new Fault(
      "precondition",
      `${having.map((one) => one.host).join(" and ")} have a container of that name`,
      {
        next: "say which by `host`",
      },
    );
  return begin(tools, resource, [first], { ...asked, by: showSubject(caller.subject) });
};

async function begin(
  { database, runs }: Tools,
  service: Stored,
  kept: readonly KeptOn[],
  asked: Omit<ServiceAct, "at">,
): Promise<ActionPlan> {
  const at = new Date(await readNow(database)).toISOString();
  const hosts = kept.map(({ agent, host }) => ({ uid: agent, name: host }));
  const run = draftAct(service, hosts, { ...asked, at });
  return { also: (sql) => runs.admit(sql, [run]).then(() => {}), output: () => ({ run: run.id }) };
}
