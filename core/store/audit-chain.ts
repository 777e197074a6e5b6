import type { AuditLink, SignedHead } from "@reeve/model/audit";
import type { Sql } from "./sql.ts";

/** Up to where records are in their chains, and the closed private key that signs heads. */
export interface Sealing<Key = unknown> {
  readonly revision: number;
  readonly signingKey: Key | null;
}

export async function readSealing<Key>(sql: Sql): Promise<Sealing<Key>> {
  return one(
    await sql.query<Sealing<Key>>(
      `select revision, signing_key as "signingKey" from audit_sealed where id = 1`,
    ),
  );
}

/** Takes the right to seal until the end of the transaction: two that believe to hold it cannot fork a chain. */
export async function lockSealing(sql: Sql): Promise<number> {
  return one(await sql.query<Sealing>("select revision from audit_sealed where id = 1 for update")).revision;
}

export async function hasUnsealed(sql: Sql): Promise<boolean> {
  const rows = await sql.query(
    "select 1 from audit where revision > (select revision from audit_sealed where id = 1) order by revision limit 1",
  );
  return rows.length > 0;
}

export async function moveSealing(sql: Sql, revision: number): Promise<void> {
  await sql.query("update audit_sealed set revision = $1 where id = 1", [revision]);
}

/** Keeps the first key that is given; whoever comes second reads it. */
export async function keepSigningKey(sql: Sql, key: unknown): Promise<void> {
  await sql.query("update audit_sealed set signing_key = $1::jsonb where id = 1 and signing_key is null", [
    JSON.stringify(key),
  ]);
}

export interface ChainLink extends AuditLink {
  readonly organization: string;
  readonly revision: number;
}

/** All hashes as one value, in which each link has its 64 bytes: there is one for every record, and reading texts is what costs. */
export async function insertLinks(sql: Sql, links: readonly ChainLink[]): Promise<void> {
  await sql.query(
    `insert into audit_chain (organization, revision, previous, hash)
     select organization, revision, substr($3::bytea, (64 * n - 63)::int, 32), substr($3::bytea, (64 * n - 31)::int, 32)
     from unnest($1::text[], $2::bigint[]) with ordinality as x (organization, revision, n)`,
    [
      links.map((link) => link.organization),
      links.map((link) => link.revision),
      Buffer.from(links.map(({ previous, hash }) => previous + hash).join(""), "hex"),
    ],
  );
}

export type HeadRow = SignedHead & { readonly publishedAt: string | null };

const headColumns = `organization, revision, at, encode(hash, 'hex') as hash, checkpoint, key, signature, published_at as "publishedAt"`;

/** The newest head of each of these organizations. */
export function newestHeads(sql: Sql, organizations: readonly string[]): Promise<HeadRow[]> {
  return sql.query<HeadRow>(
    `select h.* from unnest($1::text[]) as o (organization) cross join lateral (
       select ${headColumns} from audit_head a where a.organization = o.organization order by a.revision desc limit 1) as h`,
    [organizations],
  );
}

/** Where the chains of these organizations begin and end: their newest head, and their checkpoint if they have one. */
export function chainEnds(sql: Sql, organizations: readonly string[] | "all"): Promise<HeadRow[]> {
  return sql.query<HeadRow>(
    `select ${headColumns} from audit_head h where ($1::text[] is null or organization = any($1::text[])) and (checkpoint or not exists (
       select 1 from audit_head n where n.organization = h.organization and n.revision > h.revision))
     order by organization, revision`,
    [organizations === "all" ? null : organizations],
  );
}

/** All heads of an organization, oldest first. */
export function listHeads(sql: Sql, organization: string): Promise<HeadRow[]> {
  return sql.query<HeadRow>(
    `select ${headColumns} from audit_head where organization = $1 order by revision`,
    [organization],
  );
}

/** Organizations that anything is kept of, in the audit or in its chains: one that is in only one of them is suspicious. */
export async function auditedOrganizations(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ organization: string }>(
    "select organization from audit union select organization from audit_chain union select organization from audit_head order by 1",
  );
  return rows.map((row) => row.organization);
}

export async function insertHeads(sql: Sql, heads: readonly SignedHead[]): Promise<void> {
  await sql.query(
    `insert into audit_head (organization, revision, at, hash, checkpoint, key, signature)
     select organization, revision, at, decode(hash, 'hex'), checkpoint, key, signature from json_to_recordset($1::json)
       as x(organization text, revision bigint, at timestamptz, hash text, checkpoint boolean, key text, signature text)`,
    [JSON.stringify(heads)],
  );
}

type Place = Pick<SignedHead, "organization" | "revision">;

export async function deleteHeads(sql: Sql, heads: readonly Place[]): Promise<void> {
  if (heads.length > 0)
    await sql.query(`delete from audit_head h using ${places} where ${samePlace}`, of(heads));
}

export function unpublishedHeads(sql: Sql): Promise<HeadRow[]> {
  return sql.query<HeadRow>(
    `select ${headColumns} from audit_head where published_at is null order by organization, revision`,
  );
}

export async function markPublished(sql: Sql, heads: readonly Place[]): Promise<void> {
  await sql.query(
    `update audit_head h set published_at = now() from ${places} where ${samePlace}`,
    of(heads),
  );
}

const places = "unnest($1::text[], $2::bigint[]) as p (organization, revision)";
const samePlace = "h.organization = p.organization and h.revision = p.revision";

function of(heads: readonly Place[]): unknown[] {
  return [heads.map((head) => head.organization), heads.map((head) => head.revision)];
}

function one<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error("the row of audit_sealed is missing: this database is damaged");
  return row;
}
