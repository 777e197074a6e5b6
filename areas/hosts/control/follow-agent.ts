import type { LookAt } from "@reeve/control";
import { type JsonObject, type Outcome, sameJson } from "@reeve/model";
import { markShown, readAgent, readNow } from "@reeve/store";
import { countHeld } from "@reeve/store/runs";
import { homeLabel } from "../kinds/index.ts";
import { countOrganizations } from "../store/index.ts";
import { eventsOf, isShared, sharedWords, statusOf } from "./host-status.ts";

const drainLookMs = 2000;

/** A Host shows what is known of its agent. Woken when that changes, so heartbeats cost nothing here. */
export async function followAgent({ resource, tools, report }: LookAt): Promise<Outcome> {
  const { uid } = resource.metadata;
  const agent = await readAgent(tools.database, uid);
  const drained = resource.spec.drained === true;
  const running = drained && agent ? await countHeld(tools.database, [uid]) : undefined;
  const now = new Date(await readNow(tools.database)).toISOString();
  const { observedGeneration, observedAt: _, ...before } = resource.status;
  const organizations = isHome(resource) ? await countOrganizations(tools.database) : undefined;
  const status = statusOf(before, { agent, running, organizations, now });
  if (organizations !== undefined && organizations > 1 && !isShared(before))
    tools.log.warn({ host: resource.metadata.name, organizations }, sharedWords(organizations));
  const same =
    observedGeneration === resource.metadata.generation &&
    sameJson(before as JsonObject, status as JsonObject);
  if (!same) {
    const written = await report(status as JsonObject, eventsOf(before, status, now));
    if (!written) return { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
  }
  if (agent !== undefined) await markShown(tools.database, uid, agent);
  const why = `its agent is ${status.agent}`;
  if (running)
    return { kind: "waiting", why: `${why}; ${running} steps still run on it`, againInMs: drainLookMs };
  return { kind: "done", why, ...(organizations === undefined ? {} : { againInMs: homeLookMs }) };
}

/** Nothing of a Host changes when another organization is made. */
const homeLookMs = 60_000;

function isHome({ metadata }: LookAt["resource"]): boolean {
  return metadata.scope === "" && metadata.labels[homeLabel] === "true";
}
