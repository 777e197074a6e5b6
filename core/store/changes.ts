import type { Sql } from "./sql.ts";

export interface ChangeRow {
  readonly revision: number;
  readonly operation: "created" | "updated" | "deleted";
  readonly uid: string;
  readonly kind: string;
  readonly scope: string;
  readonly name: string;
  readonly was: { readonly labels: Record<string, string>; readonly fields: Record<string, string> } | null;
  readonly object: string;
}

const columns = "revision, operation, uid, kind, scope, name, was, object";

/** The changes after a revision, in commit order. */
export function changesAfter(sql: Sql, revision: number, limit: number): Promise<ChangeRow[]> {
  return sql.query<ChangeRow>(
    `select ${columns} from change where revision > $1 order by revision limit $2`,
    [revision, limit],
  );
}

/** The same for one kind up to a revision, for a watcher that resumes from the past. */
export function changesBetween(
  sql: Sql,
  kind: string,
  after: number,
  upTo: number,
  limit: number,
): Promise<ChangeRow[]> {
  return sql.query<ChangeRow>(
    `select ${columns} from change where revision > $1 and revision <= $2 and kind = $3 order by revision limit $4`,
    [after, upTo, kind, limit],
  );
}

export async function readCounter(sql: Sql): Promise<{ revision: number; compacted: number }> {
  const rows = await sql.query<{ value: number; compacted: number }>(
    "select value, compacted from revision where id = 1",
  );
  return { revision: rows[0]?.value ?? 0, compacted: rows[0]?.compacted ?? 0 };
}
