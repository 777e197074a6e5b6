import type { PersonReason, Run, RunCause, RunState, Scope } from "@reeve/model";
import type { Sql } from "../sql.ts";
import { runsFromRows, type ShownRunRow, shownRunColumns } from "./read.ts";
import { waitsForPerson } from "./read-waits.ts";

/** Which runs; each part narrows. */
export interface RunFilter {
  /** These scopes with everything below them. */
  readonly scopes: readonly Scope[];
  /** Of the definition that has this name now; with `former`, of those that had it and were deleted. */
  readonly about?: { readonly kind: string; readonly name: string; readonly former?: boolean } | undefined;
  readonly states?: readonly RunState[] | undefined;
  readonly cause?: RunCause | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** With a step that waits for a person. */
  readonly waiting?: readonly PersonReason[] | undefined;
}

export interface RunPage {
  readonly items: readonly Run[];
  /** Where the next page begins: ids before this one. */
  readonly next?: string;
}

/** Of each scope or definition, one page looks at no more runs than this: it may be short, and still go on. */
const lookedAt = 5000;
const scopesMost = 10_000;

/** Runs, newest first: ids are in the order of time. */
export async function listRuns(
  sql: Sql,
  filter: RunFilter,
  before: string | undefined,
  limit: number,
): Promise<RunPage> {
  const values: unknown[] = [];
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const narrows = [
    ...(filter.states === undefined ? [] : [`r.state = any(${put(filter.states, "text[]")})`]),
    ...(filter.cause === undefined ? [] : [`r.cause = ${put(filter.cause, "text")}`]),
  ];
  const source = sourceOf(filter, put);
  narrows.push(...source.narrows);
  const from = put(filter.since === undefined ? firstId : idAt(filter.since), "uuid");
  const ends = [before, filter.until === undefined ? undefined : idAt(filter.until)].filter(
    (id) => id !== undefined,
  );
  const end = put(ends.sort()[0] ?? lastId, "uuid");
  const most = put(narrows.length > 0 ? Math.max(lookedAt, limit) : limit, "bigint");
  // Where a source was not looked at to its end, nothing older than its last may be told: newer ones may lie behind it.
  const rows = await sql.query<ShownRunRow & { floor: string | null }>(
    `with recursive ${source.with}
     seen as (
       select src.key, r.id, ${narrows.join(" and ") || "true"} as fits from src cross join lateral (
         select * from run r where ${source.of} and r.id >= ${from} and r.id < ${end}
         order by r.id desc limit ${most}) as r),
     ends as (select max(last) as floor from (
       select min(id::text) as last from seen group by key having count(*) >= ${most}) as v),
     page as (select s.id, e.floor from seen s cross join ends e
       where s.fits and (e.floor is null or s.id >= e.floor::uuid) order by s.id desc limit ${put(limit, "bigint")})
     select ${shownRunColumns}, v.floor from (
       select id, floor from page union all select null, floor from ends) as v
     left join run r on r.id = v.id order by r.id desc nulls last`,
    values,
  );
  const items = await runsFromRows(
    sql,
    rows.filter((row) => row.id !== null),
  );
  const last = items.length === limit ? items.at(-1)?.id : (rows.at(-1)?.floor ?? undefined);
  return { items, ...(last === undefined ? {} : { next: last }) };
}

interface Source {
  readonly with: string;
  /** Ties a run to its source. */
  readonly of: string;
  readonly narrows: readonly string[];
}

/** The shortest way to the runs: by who waits for people, by their definition, among those that have not ended, all of them, or scope by scope. */
export function sourceOf(
  { scopes, about, states, waiting }: Pick<RunFilter, "scopes" | "about" | "states" | "waiting">,
  put: (value: unknown, type: string) => string,
): Source {
  const everywhere = scopes.includes("");
  const within = (column: string) =>
    everywhere
      ? "true"
      : `exists (select 1 from unnest(${put(scopes, "text[]")}) as g (granted)
          where ${column} = g.granted or ${column} like g.granted || '/%')`;
  if (about?.former) {
    const { narrows, ...source } = sourceOf({ scopes, states, waiting }, put);
    const named = `r.kind = ${put(about.kind, "text")} and r.name = ${put(about.name, "text")}`;
    const gone = "not exists (select 1 from resource d where d.uid = r.uid)";
    return { ...source, narrows: [...narrows, named, gone] };
  }
  if (waiting !== undefined) {
    const named =
      about &&
      `exists (select 1 from resource d where d.uid = r.uid and d.kind = ${put(about.kind, "text")} and d.name = ${put(about.name, "text")})`;
    return {
      with: `src as (select distinct s.run as key from step s where ${waitsForPerson("s")}
        and s.reason = any(${put(waiting, "text[]")})),`,
      of: "r.id = src.key",
      narrows: [within("r.scope"), ...(named ? [named] : [])],
    };
  }
  if (about !== undefined)
    return {
      with: `src as (select uid as key from resource d where d.kind = ${put(about.kind, "text")}
        and d.name = ${put(about.name, "text")} and ${within("d.scope")}),`,
      of: "r.uid = src.key",
      narrows: [],
    };
  const one = "src as (select 1 as key),";
  if (states?.every((state) => state === "queued" || state === "running"))
    return { with: one, of: "r.ended_at is null", narrows: [within("r.scope")] };
  if (everywhere) return { with: one, of: "true", narrows: [] };
  // From scope to scope through the index: there are few, and each has its runs in order.
  return {
    with: `hops (scope) as (
        (select r.scope from run r order by r.scope limit 1)
        union all select (select r.scope from run r where r.scope > h.scope order by r.scope limit 1)
        from hops h where h.scope is not null),
      src as (select scope as key from (select scope from hops limit ${scopesMost}) as h where scope is not null and ${within("scope")}),`,
    of: "r.scope = src.key",
    narrows: [],
  };
}

const firstId = "00000000-0000-0000-0000-000000000000";
const lastId = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The least id of a time. */
export function idAt(time: string): string {
  const hex = Math.max(0, Date.parse(time)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
