import type { Sealed } from "./sealed.ts";
import type { Sql } from "./sql.ts";

export interface AuthorityRow {
  readonly id: string;
  /** PEM. */
  readonly certificate: string;
  readonly signingKey: Sealed;
  readonly state: "current" | "trusted";
}

/** The one that signs comes first. */
export function listAuthorities(sql: Sql): Promise<AuthorityRow[]> {
  return sql.query<AuthorityRow>(
    `select id, certificate, signing_key as "signingKey", state from authority order by state, made_at desc`,
  );
}

/** Makes this the installation's first authority; without effect when it has one. */
export async function insertFirstAuthority(sql: Sql, row: Omit<AuthorityRow, "state">): Promise<void> {
  await sql.query(
    `insert into authority (id, certificate, signing_key, state) values ($1::uuid, $2, $3, 'current') on conflict do nothing`,
    [row.id, row.certificate, row.signingKey],
  );
}
