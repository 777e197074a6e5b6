import type { Sql } from "../sql.ts";

/** How an organization keeps what is its own, and how far what was there before has followed. */
export interface OrganizationAtRest {
  readonly organization: string;
  /** What is wanted. */
  readonly sealed: boolean;
  /** For how long. */
  readonly sinceMs: number;
  /** How many values have followed. */
  readonly moved: number;
  /** What is being looked through. */
  readonly lookingAt: string;
  readonly settledAt: string | null;
}

const columns = `organization, sealed, moved, (extract(epoch from now() - since) * 1000)::float8 as "sinceMs", looking_at as "lookingAt", settled_at as "settledAt"`;

/** The organizations that want their things sealed. */
export async function sealingOrganizations(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select name from resource where kind = 'Organization' and scope = '' and (spec ->> 'encryptAtRest')::boolean order by name`,
  );
  return rows.map(({ name }) => name);
}

/** Begins, or begins anew, where an organization wants it otherwise than before. What is left of one that is gone stays as it is. */
export async function noteWanted(sql: Sql, sealing: readonly string[]): Promise<void> {
  await sql.query(
    `insert into at_rest (organization, sealed) select o, true from unnest($1::text[]) as o
     on conflict (organization) do update set sealed = true, since = now(), moved = 0, looking_at = '', settled_at = null
       where not at_rest.sealed`,
    [sealing],
  );
  await sql.query(
    `update at_rest set sealed = false, since = now(), moved = 0, looking_at = '', settled_at = null
     where sealed and not organization = any($1::text[])
       and exists (select 1 from resource r where r.kind = 'Organization' and r.scope = '' and r.name = at_rest.organization)`,
    [sealing],
  );
}

export function listAtRest(sql: Sql): Promise<OrganizationAtRest[]> {
  return sql.query<OrganizationAtRest>(`select ${columns} from at_rest order by organization`);
}

export async function readAtRest(sql: Sql, organization: string): Promise<OrganizationAtRest | undefined> {
  const rows = await sql.query<OrganizationAtRest>(`select ${columns} from at_rest where organization = $1`, [
    organization,
  ]);
  return rows[0];
}

/** Without effect where it is wanted otherwise meanwhile. */
export async function noteProgress(
  sql: Sql,
  { organization, sealed }: Pick<OrganizationAtRest, "organization" | "sealed">,
  {
    moved,
    lookingAt,
    settled,
  }: { readonly moved: number; readonly lookingAt: string; readonly settled: boolean },
): Promise<void> {
  await sql.query(
    `update at_rest set moved = moved + $3, looking_at = $4, settled_at = case when $5 then now() end
     where organization = $1 and sealed = $2`,
    [organization, sealed, moved, lookingAt, settled],
  );
}
