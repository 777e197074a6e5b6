import type { AgentIdentity } from "./agents.ts";
import type { Sql } from "./sql.ts";

/** An agent as the backup has it that this database was restored from. */
export interface BackedUpAgent {
  readonly revoked: boolean;
  /** Somebody has renewed since the restore, by an identity that the backup knew. */
  readonly renewed: boolean;
}

/**
 * The agent, while there is its Host, if an identity that it was given at this time may be missing here: it was after the backup and
 * before the restore, and the agent has not joined since, nor renewed by such an identity.
 */
export async function findBackedUpAgent(
  sql: Sql,
  uid: string,
  issuedAt: Date,
): Promise<BackedUpAgent | undefined> {
  const rows = await sql.query<BackedUpAgent>(
    `select a.revoked_at is not null as revoked, a.identity_generation <> a.restored_generation as renewed
     from agent a join resource r on r.uid = a.uid and r.deleting_at is null join installation i on i.id = 1
     where a.uid = $1::uuid and a.restored_generation is not null
       and $2::timestamptz > i.backed_up_at - $3 * interval '1 millisecond' and $2::timestamptz < i.restored_at`,
    [uid, issuedAt.toISOString(), underWayMs],
  );
  return rows[0];
}

/** What was issued so long before a backup may not be in it yet, or by another clock. */
const underWayMs = 60_000;

/** Renews by an identity that the backup did not know, once. Undefined when somebody has joined or renewed meanwhile. */
export async function renewBackedUpIdentity(
  sql: Sql,
  uid: string,
  shown: Pick<AgentIdentity, "hash" | "expiresAt">,
  identity: AgentIdentity,
): Promise<number | undefined> {
  const rows = await sql.query<{ generation: number }>(
    `update agent set identity = $4, identity_expires_at = $5::timestamptz, identity_before = $2, identity_used_at = null,
       identity_before_expires_at = $3::timestamptz, identity_authority = $6::uuid, identity_generation = identity_generation + 1,
       enrolment = null, restored_generation = null
     where uid = $1::uuid and revoked_at is null and restored_generation = identity_generation
     returning identity_generation as generation`,
    [uid, shown.hash, shown.expiresAt, identity.hash, identity.expiresAt, identity.authority],
  );
  return rows[0]?.generation;
}
