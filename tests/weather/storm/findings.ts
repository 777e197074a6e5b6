import type { PrivatePostgres } from "../../harness/private-postgres.ts";
import type { Heard } from "./watcher.ts";
import type { Change } from "./writers.ts";

/**
 * The invariants (I1 to I15 in docs/requirements.md), each as a search for what breaks it: what is found is wrong, and nothing found means that
 * it holds. The ledger is the judge; the database is only asked what it holds.
 */
export interface Evidence {
  readonly postgres: PrivatePostgres;
  readonly ledger: readonly Change[];
  /** Where the storm began. */
  readonly since: number;
  readonly counters: readonly string[];
}

type Finding = Record<string, unknown>;

/** I1: each acknowledged change is there once, as it was acknowledged, and nothing else is. */
export async function brokenAcknowledgements({ postgres, ledger, since }: Evidence): Promise<Finding[]> {
  const kept = await postgres.query<{ key: string; revision: string; count: string }>(
    "select key, min(revision) as revision, count(*) as count from idempotency group by key",
  );
  const byKey = new Map(kept.map((row) => [row.key, row]));
  const lost = ledger.filter(({ key, revision }) => {
    const row = byKey.get(key);
    return row === undefined || Number(row.revision) !== revision || Number(row.count) !== 1;
  });
  const told = await postgres.query<{ operation: string; name: string; count: string }>(
    `select operation, name, count(*) as count from change
     where kind = 'Project' and revision > $1 and operation <> 'updated' group by operation, name`,
    [since],
  );
  const wanted = new Map<string, number>();
  for (const { operation, name } of ledger)
    if (operation !== "update")
      wanted.set(`${operation}d ${name}`, (wanted.get(`${operation}d ${name}`) ?? 0) + 1);
  const found = new Map(told.map((row) => [`${row.operation} ${row.name}`, Number(row.count)]));
  const uneven = [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (what) => wanted.get(what) !== found.get(what),
  );
  return [
    ...lost.map((change) => ({ acknowledged: change, kept: byKey.get(change.key) })),
    ...uneven.map((what) => ({ what, acknowledged: wanted.get(what) ?? 0, happened: found.get(what) ?? 0 })),
  ];
}

/** I1 for what is counted: a counter stands at exactly the number of acknowledged updates. */
export async function brokenCounters({ postgres, ledger, counters }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ name: string; generation: string; count: string }>(
    "select name, generation, spec ->> 'displayName' as count from resource where kind = 'Project' and name = any($1)",
    [counters],
  );
  return rows.flatMap(({ name, generation, count }) => {
    const updates = ledger.filter((change) => change.operation === "update" && change.name === name);
    const generations = updates.map((change) => change.generation).sort((x, y) => x - y);
    const right = generations.every((value, at) => value === at + 2);
    const even = Number(count) === updates.length && Number(generation) === updates.length + 1;
    return right && even ? [] : [{ name, generation, count, acknowledged: updates.length, generations }];
  });
}

/** I1 without keys: what was acknowledged is in the history as it was acknowledged, and counts up by one. */
export async function brokenSolo(
  { postgres }: Evidence,
  acknowledged: readonly { generation: number; count: string }[],
): Promise<Finding[]> {
  const rows = await postgres.query<{ generation: string; count: string }>(
    `select g.generation, g.spec ->> 'displayName' as count from generation g join resource r on r.uid = g.uid
     where r.kind = 'Project' and r.name = 'solo'`,
  );
  const history = new Map(rows.map((row) => [Number(row.generation), row.count]));
  return [
    ...acknowledged.filter(({ generation, count }) => history.get(generation) !== count),
    ...rows.filter(({ generation, count }) => Number(count) !== Number(generation) - 1),
  ];
}

/** I3: generations have no gap, and the changes of a resource are a life: made once, changed, and gone at most once. */
export async function brokenHistories({ postgres }: Evidence): Promise<Finding[]> {
  const gaps = await postgres.query<Finding>(
    `select uid, min(generation) as least, max(generation) as most, count(*) as count from generation
     group by uid having min(generation) <> 1 or max(generation) <> count(*)`,
  );
  const lives = await postgres.query<Finding>(
    `select * from (
       select uid, revision, operation, (object::jsonb -> 'metadata' ->> 'revision')::bigint as told,
         (object::jsonb -> 'metadata' ->> 'generation')::bigint as generation,
         lag(operation) over w as before, lag((object::jsonb -> 'metadata' ->> 'generation')::bigint) over w as generation_before
       from change window w as (partition by uid order by revision)) c
     where told <> revision
       or (operation = 'created') <> (before is null)
       or before = 'deleted'
       or generation - generation_before not in (0, 1)`,
  );
  return [...gaps, ...lives];
}

/** The watcher was told every change of its list, in commit order, none twice. */
export async function brokenWatch(
  { postgres, since }: Evidence,
  { heard, position }: { heard: readonly Heard[]; position: number },
): Promise<Finding[]> {
  const rows = await postgres.query<{ revision: string; uid: string; operation: string }>(
    `select revision, uid, operation from change where kind = 'Project' and scope = 'acme' and revision > $1 and revision <= $2
     order by revision`,
    [since, position],
  );
  const types: Record<string, string> = { created: "added", updated: "modified", deleted: "removed" };
  const wanted = rows.map(({ revision, uid, operation }) => `${revision} ${types[operation]} ${uid}`);
  const told = heard.map(({ revision, event, uid }) => `${revision} ${event} ${uid}`);
  const first = wanted.findIndex((line, at) => line !== told[at]);
  if (first < 0 && wanted.length === told.length) return [];
  const at = first < 0 ? wanted.length : first;
  return [
    { at, wanted: wanted.slice(at, at + 3), told: told.slice(at, at + 3), of: [wanted.length, told.length] },
  ];
}

/** I11: everything has settled. */
export async function unsettled({ postgres }: Evidence): Promise<Finding[]> {
  const overdue = await postgres.query<Finding>(
    "select 'overdue look' as what, uid, kind, due_at, why from look where due_at < now() - interval '3 seconds'",
  );
  const deleting = await postgres.query<Finding>(
    "select 'still being deleted' as what, name, finalizers from resource where deleting_at is not null",
  );
  const untended = await postgres.query<Finding>(
    `select 'bucket without a live holder' as what, b.bucket, b.holder, b.until from bucket b
     left join replica r on r.name = b.holder and r.session = b.session and r.seen_at > now() - interval '10 seconds'
     where r.name is null or b.until <= now()`,
  );
  const shares = await postgres.query<Finding>(
    "select 'uneven share' as what, holder, count(*) as count from bucket group by holder having count(*) <> 32",
  );
  return [...overdue, ...deleting, ...untended, ...shares];
}

/** I13: each acknowledged change has its audit row, and no row is without one. */
export async function brokenAudit({ postgres, ledger, since }: Evidence): Promise<Finding[]> {
  const rows = await postgres.query<{ revision: string; operation: string; uid: string }>(
    `select revision, operation, uid from audit
     where revision > $1 and kind = 'Project' and outcome = 'done' and subject = 'user:ada' and name <> 'solo'`,
    [since],
  );
  const byRevision = new Map(rows.map((row) => [Number(row.revision), row]));
  const operations = { create: "create", update: "apply", delete: "delete" };
  const missing = ledger.filter(({ revision, uid, operation }) => {
    const row = byRevision.get(revision);
    return row === undefined || row.uid !== uid || row.operation !== operations[operation];
  });
  const known = new Set(ledger.map((change) => change.revision));
  const unexplained = rows.filter((row) => !known.has(Number(row.revision)));
  return [
    ...missing.map((change) => ({ unaudited: change })),
    ...unexplained.map((row) => ({ unexplained: row })),
  ];
}

/** I14: nobody holds a transaction open, and connections are those of two pools. */
export async function leaks({ postgres }: Evidence): Promise<Finding[]> {
  const open = await postgres.query<Finding>(
    `select pid, state, query, now() - state_change as since from pg_stat_activity
     where application_name = 'reeve' and state like 'idle in transaction%' and state_change < now() - interval '1 second'`,
  );
  const [row] = await postgres.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where application_name = 'reeve'",
  );
  return [...open, ...((row?.count ?? 0) > 32 ? [{ connections: row?.count }] : [])];
}
