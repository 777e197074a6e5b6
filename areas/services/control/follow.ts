import type { LookAt } from "@reeve/control";
import { hasEnded, type JsonObject, type Outcome, type Run, sameJson, withCondition } from "@reeve/model";
import { type EventEntry, type KeptOn, letGoOf, readKept, readNow } from "@reeve/store";
import { readRun, readSteps } from "@reeve/store/runs";
import type { Instance, ServiceSeen, ServiceStatus } from "../kinds/index.ts";
import { removedBy } from "./draft-run.ts";
import { followSource } from "./follow-source.ts";

const stepsMost = 1000;

/** A Service shows what its agents have seen, and how its latest run went. Woken by both agents and runs; polls a run under way. */
export async function follow(look: LookAt): Promise<Outcome> {
  const { resource, tools, report } = look;
  const { observedGeneration, observedAt: _, ...before } = resource.status as ServiceStatus;
  const { uid, generation } = resource.metadata;
  const now = await readNow(tools.database);
  const ended = before.run === undefined ? undefined : await endOf(look, before.run);
  const kept = await readKept(tools.database, uid);
  const at = new Date(now).toISOString();
  const seen = {
    ...before,
    instances: kept.map(instanceOf),
    ...(ended?.state === "succeeded" ? { deployed: ended.generation } : {}),
    conditions: conditionsOf(before, ended, at),
  };
  const busy = before.run !== undefined && ended === undefined;
  const news = await followSource(look, seen, { busy, at });
  const deploy = news?.deploy;
  const status = { ...seen, ...news?.status, ...(deploy && { run: deploy.run.id }) } as unknown as JsonObject;
  const same = observedGeneration === generation && sameJson(before as JsonObject, status);
  const events = [...eventsOf(before, ended), ...newsOf(before, status as ServiceStatus)];
  if (!same && !(await report(status, events, deploy?.begin)))
    return { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
  const run = deploy?.run.id ?? before.run;
  if (busy || deploy !== undefined)
    return { kind: "waiting", why: `run ${run} is under way`, againInMs: 1000 };
  const againInMs = news?.againInMs;
  return { kind: "done", why: `it is kept by ${kept.length} agents`, ...(againInMs && { againInMs }) };
}

interface Ended extends Pick<Run, "id" | "state"> {
  readonly generation: number;
  readonly why: string;
}

/** Undefined while it is under way. What it has let go is not kept any more. */
async function endOf({ resource, tools }: LookAt, id: string): Promise<Ended | undefined> {
  const read = await readRun(tools.database, id);
  if (read === undefined)
    return { id, generation: 0, state: "cancelled", why: "its run is not kept any more" };
  const { run, graph } = read;
  if (!hasEnded(run.state)) return undefined;
  const steps = await readSteps(tools.database, id, { after: -1 }, stepsMost);
  const done = (seq: number) => steps[seq]?.state === "succeeded";
  const gone = removedBy(graph, done);
  if (gone.length > 0) await letGoOf(tools.database, resource.metadata.uid, gone);
  const failed = steps.find(({ state }) => state === "failed");
  const why = failed === undefined ? run.why : `${graph.steps[failed.seq]?.name ?? ""}: ${failed.why}`;
  return { id, generation: run.about.generation, state: run.state, why };
}

/** What an agent saw counts for as long as it is heard. */
function instanceOf({ host, hostScope, heard, seen, seenAt }: KeptOn): Instance {
  const known = (seen ?? undefined) as (ServiceSeen & Pick<Instance, "generation" | "trying">) | undefined;
  const shown = known ?? { state: "unknown", why: "its agent has not seen it yet", containers: [] };
  return {
    ...(host === "" ? { host: "a host that is gone" } : { host, hostScope }),
    ...shown,
    containers: [...shown.containers].map((one) => ({ ...one, ports: [...one.ports] })),
    ...(heard ? {} : { state: "unknown" as const, why: "its agent is silent" }),
    ...(seenAt === null ? {} : { seenAt }),
  };
}

function deployedOf(ended: Ended): { status: "true" | "false"; reason: string; message: string } {
  if (ended.state === "succeeded")
    return {
      status: "true",
      reason: "Deployed",
      message: `generation ${ended.generation} is on all its hosts`,
    };
  const reason = ended.state === "failed" ? "DeployFailed" : "DeployCancelled";
  return { status: "false", reason, message: `generation ${ended.generation}: ${ended.why || ended.state}` };
}

function conditionsOf({ conditions = [] }: ServiceStatus, ended: Ended | undefined, at: string) {
  return ended === undefined
    ? conditions
    : withCondition(conditions, { type: "Deployed", ...deployedOf(ended) }, at);
}

/** A run that has ended is an event, so that it is still told when a later one went well. */
function eventsOf(before: ServiceStatus, ended: Ended | undefined): Omit<EventEntry, "uid">[] {
  if (ended === undefined) return [];
  const { status, reason, message } = deployedOf(ended);
  const was = before.conditions?.find(({ type }) => type === "Deployed");
  if (was?.message === message) return [];
  return [{ tone: status === "true" ? "normal" : "warning", reason, message }];
}

/** So is a refusal of what is in the repository. */
function newsOf(before: ServiceStatus, after: ServiceStatus): Omit<EventEntry, "uid">[] {
  const words = ({ conditions }: ServiceStatus) => conditions?.find(({ type }) => type === "Source");
  const is = words(after);
  if (is === undefined || is.message === words(before)?.message) return [];
  return [{ tone: is.status === "true" ? "normal" : "warning", reason: is.reason, message: is.message }];
}
