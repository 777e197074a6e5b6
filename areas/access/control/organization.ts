import type { Controller, LookAt } from "@reeve/control";
import { type Condition, type Json, type Outcome, sameJson, withCondition } from "@reeve/model";
import { type OrganizationAtRest, readAtRest } from "@reeve/store";

const againMs = 2000;

/** The control plane seals and opens what an organization keeps; here it is told how far it has come. */
export const organizationController: Controller = { kind: "Organization", reconcile: tell };

async function tell({ resource, tools, report }: LookAt): Promise<Outcome> {
  const wanted = resource.spec.encryptAtRest === true;
  const atRest = await readAtRest(tools.database, resource.metadata.name);
  const before = (resource.status.conditions ?? []) as Condition[];
  if (atRest === undefined && !wanted) return { kind: "done", why: "keeps what it has in clear" };
  const next = conditionOf(atRest?.sealed === wanted ? atRest : undefined, wanted);
  const conditions = withCondition(before, next, new Date().toISOString());
  if (!sameJson(before as unknown as Json[], conditions as unknown as Json[]))
    await report({ ...resource.status, conditions: conditions as unknown as Json[] });
  if (next.status !== "unknown") return { kind: "done", why: next.message };
  return { kind: "waiting", why: next.message, againInMs: againMs };
}

function conditionOf(atRest: OrganizationAtRest | undefined, wanted: boolean): Omit<Condition, "since"> {
  const type = "EncryptedAtRest";
  if (atRest !== undefined && atRest.settledAt !== null)
    return wanted
      ? { type, status: "true", reason: "Sealed", message: "everything of it is sealed" }
      : { type, status: "false", reason: "Opened", message: "nothing of it is sealed any more" };
  const { moved = 0, lookingAt = "" } = atRest ?? {};
  const place = lookingAt === "" ? "" : `; looking at ${lookingAt}`;
  return {
    ...{ type, status: "unknown", reason: wanted ? "Sealing" : "Opening" },
    message: `what is new is ${wanted ? "sealed" : "in clear"}, and so are ${moved} values from before${place}`,
  };
}
