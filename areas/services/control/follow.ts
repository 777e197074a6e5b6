import type { LookAt } from "@reeve/control";
import { hasEnded, type JsonObject, type Outcome, type Run, sameJson, withCondition } from "@reeve/model";
import { type EventEntry, type KeptOn, letGoOf, readKept, readNow, type Sql } from "@reeve/store";
import { readRun, readSteps } from "@reeve/store/runs";
import type { Instance, ServiceSeen, ServiceStatus } from "../kinds/index.ts";
import { keptBy, removedBy } from "./draft-run.ts";
import type { OpenSealed } from "./encrypted/open-sealed.ts";
import { followSource } from "./follow-source.ts";
import { isRemoving, removalFrom } from "./owed.ts";

const stepsMost = 1000;

/** A Service shows what its agents have seen, and how its latest run went. Woken by both agents and runs; polls a run under way. */
export async function follow(look: LookAt, openSealed: OpenSealed): Promise<Outcome> {
  const { resource, tools, report } = look;
  const { observedGeneration, observedAt: _, owing: was, ...known } = resource.status as ServiceStatus;
  const before = { ...known, ...(was && { owing: was }) };
  const { uid, generation } = resource.metadata;
  const now = await readNow(tools.database);
  const ended = before.run === undefined ? undefined : await endOf(look, before.run);
  const removing = was !== undefined && (await isRemoving(look, was)) ? was : undefined;
  const kept = await readKept(tools.database, uid);
  const at = new Date(now).toISOString();
  const owed = kept.filter(({ agent }) => ended?.keeps !== undefined && !ended.keeps.includes(agent));
  const begins = removing === undefined ? removalFrom(owed, resource) : undefined;
  const owing = removing ?? begins?.id;
  const seen = {
    ...known,
    ...(owing && { owing }),
    instances: kept.map(instanceOf),
    ...(ended?.state === "succeeded" ? { deployed: ended.generation } : {}),
    conditions: conditionsOf(before, ended, owed, at),
  };
  const busy = before.run !== undefined && ended === undefined;
  const news = await followSource(look, seen, { busy, at, openSealed });
  const deploy = news?.deploy;
  const status = { ...seen, ...news?.status, ...(deploy && { run: deploy.run.id }) } as unknown as JsonObject;
  const same = observedGeneration === generation && sameJson(before as JsonObject, status);
  const events = [...eventsOf(before, ended, owed), ...newsOf(before, status as ServiceStatus)];
  const also = async (sql: Sql) => {
    await deploy?.begin(sql);
    if (begins !== undefined) await tools.runs.admit(sql, [begins]);
  };
  if (!same && !(await report(status, events, also)))
    return { kind: "waiting", why: "it was changed meanwhile", againInMs: 0 };
  const run = deploy?.run.id ?? before.run;
  if (busy || deploy !== undefined)
    return { kind: "waiting", why: `run ${run} is under way`, againInMs: 1000 };
  if (owing !== undefined)
    return { kind: "waiting", why: `run ${owing} removes it from where it is not to be`, againInMs: 1000 };
  const againInMs = news?.againInMs;
  return { kind: "done", why: `it is kept by ${kept.length} agents`, ...(againInMs && { againInMs }) };
}

interface Ended extends Pick<Run, "id" | "state"> {
  readonly generation: number;
  readonly why: string;
  /** The agents that have it by this run, when it went well. */
  readonly keeps?: readonly string[];
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
  const keeps = run.state === "succeeded" ? { keeps: keptBy(graph) } : {};
  return { id, generation: run.about.generation, state: run.state, why, ...keeps };
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

function deployedOf(
  ended: Ended,
  owed: readonly KeptOn[],
): { status: "true" | "false"; reason: string; message: string } {
  if (ended.state === "succeeded") {
    const hosts = owed.map(({ host }) => host || "a host that is gone").join(", ");
    const later = hosts === "" ? "" : `; it goes from ${hosts} when its agent is back`;
    return {
      status: "true",
      reason: "Deployed",
      message: `generation ${ended.generation} is on all its hosts${later}`,
    };
  }
  const reason = ended.state === "failed" ? "DeployFailed" : "DeployCancelled";
  return { status: "false", reason, message: `generation ${ended.generation}: ${ended.why || ended.state}` };
}

function conditionsOf(
  { conditions = [] }: ServiceStatus,
  ended: Ended | undefined,
  owed: readonly KeptOn[],
  at: string,
) {
  return ended === undefined
    ? conditions
    : withCondition(conditions, { type: "Deployed", ...deployedOf(ended, owed) }, at);
}

/** A run that has ended is an event, so that it is still told when a later one went well. */
function eventsOf(
  before: ServiceStatus,
  ended: Ended | undefined,
  owed: readonly KeptOn[],
): Omit<EventEntry, "uid">[] {
  if (ended === undefined) return [];
  const { status, reason, message } = deployedOf(ended, owed);
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
