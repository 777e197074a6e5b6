import { contains, type Permission, runPermission, type Scope } from "@reeve/model";
import { readResource } from "@reeve/store";
import { heldByAgent, readAgents, workOfAgent } from "@reeve/store/runs";
import type { Context } from "../context.ts";
import { notFound } from "../guard/authorise.ts";
import type { Reader } from "../operations/get.ts";
import { heldScopes, scopesWith } from "../operations/held-scopes.ts";
import type { RouteAnswer } from "../route.ts";
import { type Follower, following, stillHeld } from "./follow.ts";
import type { Live, Shown } from "./live.ts";
import { nowAndThen } from "./now-and-then.ts";

type Events = NonNullable<RouteAnswer["events"]>;

const readHosts: Permission = "hosts:read";
/** Agents beat every few seconds: looking more often than this would show nothing more. */
const lookMs = 1000;
const stepsMost = 500;

/** When each agent was heard last and how much it holds: a Host does not say it, because heartbeats change no resource. */
export async function followAgents(
  context: Context,
  live: Live,
  follower: Follower & Reader,
  scope: Scope,
): Promise<Events> {
  const wanted = { operation: "list", permission: readHosts, kind: "Host", scope };
  const scopes = await heldScopes(context, follower, wanted);
  const read = async (): Promise<Shown> => {
    const [agents, held] = await Promise.all([readAgents(context.database), heldByAgent(context.database)]);
    const seen = agents.filter((agent) => scopes.some((one) => contains(one, agent.scope)));
    const parts = seen.map(({ uid, slots, beatAt }) => {
      const agent = { uid, slots, beatAt, held: held.get(uid) ?? 0 };
      return [uid, { event: "agent", data: { agent } }] as const;
    });
    return { parts: new Map(parts), ended: false };
  };
  return following(context, live, follower, stillHeld(readHosts, scope, scopes), {
    key: `agents ${JSON.stringify(scopes)}`,
    read: nowAndThen(lookMs, read),
  });
}

/** The steps that a host's agent holds, of those whose runs the follower may read. */
export async function followWork(
  context: Context,
  live: Live,
  follower: Follower & Reader,
  { scope, name }: { readonly scope: Scope; readonly name: string },
): Promise<Events> {
  await heldScopes(context, follower, { operation: "get", permission: readHosts, kind: "Host", scope });
  const at = { kind: "Host", scope, name };
  const host = await readResource(context.database, at);
  if (host === undefined) throw notFound(at);
  const { uid } = host.metadata;
  const readRuns = runPermission("read");
  const scopes = scopesWith(follower.caller, readRuns, undefined);
  const read = async (): Promise<Shown> => {
    const steps = await workOfAgent(context.database, uid, scopes, stepsMost);
    const parts = steps.map(
      (held) => [`${held.run} ${held.seq}`, { event: "held", data: { held } as never }] as const,
    );
    return { parts: new Map(parts), ended: false };
  };
  return following(context, live, follower, stillHeld(readRuns, undefined, scopes), {
    key: `work ${uid} ${JSON.stringify(scopes)}`,
    read: nowAndThen(lookMs, read),
  });
}
