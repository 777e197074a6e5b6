import { opened } from "./at-rest/at-rest.ts";
import { changed } from "./at-rest/places.ts";
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
export async function changesAfter(sql: Sql, revision: number, limit: number): Promise<ChangeRow[]> {
  const rows = await sql.query<ChangeRow>(
    `select ${columns} from change where revision > $1 order by revision limit $2`,
    [revision, limit],
  );
  return openObjects(sql, rows);
}

/** The same for one kind up to a revision, for a watcher that resumes from the past. */
export async function changesBetween(
  sql: Sql,
  kind: string,
  after: number,
  upTo: number,
  limit: number,
): Promise<ChangeRow[]> {
  const rows = await sql.query<ChangeRow>(
    `select ${columns} from change where revision > $1 and revision <= $2 and kind = $3 order by revision limit $4`,
    [after, upTo, kind, limit],
  );
  return openObjects(sql, rows);
}

function openObjects(sql: Sql, rows: ChangeRow[]): ChangeRow[] | Promise<ChangeRow[]> {
  return opened(sql, changed, rows, "object", ({ revision }) => [revision]);
}

export async function readCounter(sql: Sql): Promise<{ revision: number; compacted: number }> {
  const rows = await sql.query<{ value: number; compacted: number }>(
    "select value, compacted from revision where id = 1",
  );
  return { revision: rows[0]?.value ?? 0, compacted: rows[0]?.compacted ?? 0 };
}
