import type { Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { hasPlaceSql } from "./limits.ts";
import type { Queue } from "./queues.ts";
import type { StepKey } from "./rows.ts";

/** What a waiting step waits for, as it is now: facts for people, nothing is decided by them. */
export interface AgentRead {
  readonly uid: string;
  readonly scope: Scope;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly executors: readonly string[];
  readonly drained: boolean;
  readonly slots: number;
  readonly state: "joined" | "connected" | "suspect" | "lost" | "revoked";
  readonly beatAt: string;
  readonly troubles: readonly string[];
  /** Bytes of memory that nobody uses there, by its last beat. */
  readonly memoryFree: number;
}

const agentsMost = 20_000;

export async function readAgents(sql: Sql): Promise<AgentRead[]> {
  return sql.query<AgentRead>(
    `select uid, scope, name, labels, coalesce(hello -> 'executors', '[]') as executors, drained, slots, state,
       beat_at as "beatAt", coalesce((hello -> 'facts' ->> 'memoryBytes')::float8 - (status ->> 'memoryUsedBytes')::float8, 0) as "memoryFree",
       coalesce(status -> 'troubles', '[]') as troubles from agent where uid >= $1 and state <> 'revoked' order by uid limit $2`,
    ["00000000-0000-0000-0000-000000000000", agentsMost],
  );
}

/** How many steps these agents hold, of all together. */
export async function countHeld(sql: Sql, agents: readonly string[]): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*) as count from unnest($1::uuid[]) as v (agent)
     join step s on s.agent = v.agent and s.awaits = 'agent' and s.state in ('offered', 'running')`,
    [agents],
  );
  return row?.count ?? 0;
}

/** How many steps each agent holds. */
export async function heldByAgent(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.query<{ agent: string; count: number }>(
    "select agent, count(*) as count from step where agent >= $1 and awaits = 'agent' and state in ('offered', 'running') group by agent",
    ["00000000-0000-0000-0000-000000000000"],
  );
  return new Map(rows.map(({ agent, count }) => [agent, count]));
}

/** A step that an agent holds, as a page of its host shows it. */
export interface HeldStep {
  readonly run: string;
  readonly seq: number;
  readonly step: string;
  readonly scope: Scope;
  /** Of what it is a run: "Workflow/nightly". */
  readonly about: string;
  readonly state: "offered" | "running";
  readonly startedAt: string | null;
}

/** What an agent holds, as far as these scopes reach. */
export function workOfAgent(
  sql: Sql,
  agent: string,
  scopes: readonly Scope[],
  limit: number,
): Promise<HeldStep[]> {
  return sql.query<HeldStep>(
    `select s.run, s.seq, s.state, s.started_at as "startedAt", r.scope, r.kind || '/' || r.name as about,
       coalesce(g.graph -> 'steps' -> s.def::int ->> 'name', '') as step
     from step s join run r on r.id = s.run join run_graph g on g.digest = r.graph
     where s.agent = $1::uuid and s.awaits = 'agent' and s.state in ('offered', 'running')
       and exists (select 1 from unnest($2::text[]) as v (scope) where v.scope = '' or r.scope = v.scope or r.scope like v.scope || '/%')
     order by s.agent, s.run, s.seq limit $3`,
    [agent, scopes, limit],
  );
}

export function readQueues(sql: Sql, ids: readonly string[]): Promise<Queue[]> {
  return sql.query<Queue>("select id, scope, executor, selector from run_queue where id = any($1::uuid[])", [
    ids,
  ]);
}

/** The steps that go first in a queue. */
export function frontOfQueue(sql: Sql, queue: string, limit: number): Promise<StepKey[]> {
  return sql.query<StepKey>(
    `select run, seq from step where awaits = 'claim' and queue = $1::uuid
     order by priority desc, ready_at, run, seq limit $2`,
    [queue, limit],
  );
}

/** Who holds a limit: runs, or steps. */
export async function limitHolders(
  sql: Sql,
  key: string,
  of: "runs" | "steps",
  limit: number,
): Promise<{ run: string; scope: Scope; name: string; seq?: number }[]> {
  if (of === "runs")
    return sql.query(
      `select id as run, scope, name from run where limit_key = $1 and ended_at is null and state = 'running' order by id limit $2`,
      [key, limit],
    );
  return sql.query(
    `select s.run, s.seq, r.scope, r.name from (select run, seq from step h where h.limit_key = $1 and ${hasPlaceSql("h")}
       order by ready_at, run, seq limit $2) as s join run r on r.id = s.run`,
    [key, limit],
  );
}
