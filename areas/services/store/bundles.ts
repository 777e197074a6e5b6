import type { Sql } from "@reeve/store";

/** Lets these agents have the files, for as long as retention leaves them. */
export async function deliverBundle(
  sql: Sql,
  bundle: { readonly digest: string; readonly content: string },
  agents: readonly string[],
): Promise<void> {
  await sql.query(
    "insert into service_bundle (digest, content) values ($1, $2) on conflict (digest) do update set at = now()",
    [bundle.digest, bundle.content],
  );
  await sql.query(
    `insert into service_delivery (agent_uid, digest) select a, $2 from unnest($1::uuid[]) as a
     on conflict (agent_uid, digest) do update set at = now()`,
    [agents, bundle.digest],
  );
}

/** Undefined when there is none, or it is not this agent's to have. */
export async function readBundleFor(sql: Sql, agent: string, digest: string): Promise<string | undefined> {
  const rows = await sql.query<{ content: string }>(
    `select b.content from service_delivery d join service_bundle b on b.digest = d.digest
     where d.agent_uid = $1::uuid and d.digest = $2`,
    [agent, digest],
  );
  return rows[0]?.content;
}

/** For who compares; undefined when it is not kept any more. */
export async function readBundleText(sql: Sql, digest: string): Promise<string | undefined> {
  const rows = await sql.query<{ content: string }>("select content from service_bundle where digest = $1", [
    digest,
  ]);
  return rows[0]?.content;
}

/** Old ones that no host runs. What runs stays, to be compared with what would. */
export async function pruneBundles(sql: Sql, limit: number, days: number): Promise<number> {
  const rows = await sql.query(
    `delete from service_bundle where digest in (
       select b.digest from service_bundle b where b.at < now() - $1 * interval '1 day'
         and not exists (select 1 from kept k where k.seen->>'bundle' = b.digest)
       order by b.at limit $2) returning 1 as gone`,
    [days, limit],
  );
  return rows.length;
}
