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
