import type { LookAt } from "@reeve/control";
import { type JsonObject, type Outcome, sameJson } from "@reeve/model";
import { markShown, readAgent, readNow } from "@reeve/store";
import { countHeld } from "@reeve/store/runs";
import { eventsOf, statusOf } from "./host-status.ts";

const drainLookMs = 2000;

/** A Host shows what is known of its agent. Woken when that changes, so heartbeats cost nothing here. */
export async function followAgent({ resource, tools, report }: LookAt): Promise<Outcome> {
  const { uid } = resource.metadata;
  const agent = await readAgent(tools.database, uid);
  const drained = resource.spec.drained === true;
  const running = drained && agent ? await countHeld(tools.database, [uid]) : undefined;
  const now = new Date(await readNow(tools.database)).toISOString();
  const { observedGeneration, observedAt: _, ...before } = resource.status;
  const status = statusOf(before, { agent, running, now });
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
  return { kind: "done", why };
}
