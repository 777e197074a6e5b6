import type { RetentionRule } from "../retention.ts";
import type { Sealed } from "../sealed.ts";
import type { Sql } from "../sql.ts";

/** The key that seals an organization's things of a month, closed by its scope key. */
export interface DataKeyRow {
  readonly id: string;
  readonly organization: string;
  readonly period: string;
  readonly sealed: Sealed;
}

const columns = "id, organization, period, sealed";

export async function readDataKey(sql: Sql, id: string): Promise<DataKeyRow | undefined> {
  return (await sql.query<DataKeyRow>(`select ${columns} from data_key where id = $1::uuid`, [id]))[0];
}

/** Those of one period, or all. */
export function listDataKeys(sql: Sql, period?: string): Promise<DataKeyRow[]> {
  return sql.query<DataKeyRow>(
    `select ${columns} from data_key where $1::text is null or period = $1 order by organization, period`,
    [period ?? null],
  );
}

/** Makes this its organization's key of the period; without effect when it has one. */
export async function insertDataKey(sql: Sql, row: DataKeyRow): Promise<void> {
  await sql.query(
    "insert into data_key (id, organization, period, sealed) values ($1::uuid, $2, $3, $4) on conflict do nothing",
    [row.id, row.organization, row.period, row.sealed],
  );
}

const withoutOrganization = (of: string) => `not exists (
  select 1 from resource r where r.kind = 'Organization' and r.scope = '' and r.name = ${of}.organization)`;

/**
 * Data keys stay as long as their organization, and after it until everything that was written in their month is gone by its own
 * rule: pieces of logs are in the archive too, where nobody can look.
 */
export function dataKeyRetention(days: number): RetentionRule {
  return {
    name: "data keys of organizations that are gone",
    async prune(sql, limit) {
      await sql.query(`delete from at_rest a where ${withoutOrganization("a")}`);
      const month = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 7);
      const gone = await sql.query(
        `delete from data_key where id in (
           select k.id from data_key k where k.period < $1 and ${withoutOrganization("k")} limit $2) returning 1 as gone`,
        [month, limit],
      );
      return gone.length;
    },
  };
}
