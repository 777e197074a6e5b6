import type { Scope } from "@reeve/model";
import { keepText, opened, type Place, type Sql } from "@reeve/store";

export const bundleContents: Place = {
  ...{ table: "service_bundle", key: "digest", column: "content", form: "text", scope: "t.scope" },
};

/**
 * Lets these agents have the files, for as long as retention leaves them. What two organizations have is
 * sealed if one of them seals. `repository` has the identity that opens encrypted ones.
 */
export async function deliverBundle(
  sql: Sql,
  bundle: { readonly digest: string; readonly content: string; readonly scope: Scope },
  agents: readonly string[],
  repository: string | undefined,
): Promise<void> {
  await sql.query(
    `insert into service_bundle (digest, content, scope) values ($1, $2, $3) on conflict (digest) do update set at = now(),
       content = case when excluded.content like '$sealed:%' then excluded.content else service_bundle.content end,
       scope = case when excluded.content like '$sealed:%' then excluded.scope else service_bundle.scope end`,
    [
      bundle.digest,
      keepText(sql.atRest?.sealer(bundle.scope), bundleContents, [bundle.digest], bundle.content),
      bundle.scope,
    ],
  );
  await sql.query(
    `insert into service_delivery (agent_uid, digest, repository_uid) select a, $2, $3::uuid from unnest($1::uuid[]) as a
     on conflict (agent_uid, digest) do update set at = now(), repository_uid = excluded.repository_uid`,
    [agents, bundle.digest, repository ?? null],
  );
}

/** Undefined when there is none, or it is not this agent's to have. */
export async function readDelivery(
  sql: Sql,
  agent: string,
  digest: string,
): Promise<{ readonly content: string; readonly repository: string | null } | undefined> {
  const rows = await sql.query<{ content: string; repository: string | null }>(
    `select b.content, d.repository_uid as repository from service_delivery d join service_bundle b on b.digest = d.digest
     where d.agent_uid = $1::uuid and d.digest = $2`,
    [agent, digest],
  );
  const content = await contentOf(sql, digest, rows);
  return content === undefined ? undefined : { content, repository: rows[0]?.repository ?? null };
}

/** For who compares; undefined when it is not kept any more. */
export async function readBundleText(sql: Sql, digest: string): Promise<string | undefined> {
  const rows = await sql.query<{ content: string }>("select content from service_bundle where digest = $1", [
    digest,
  ]);
  return contentOf(sql, digest, rows);
}

async function contentOf(sql: Sql, digest: string, rows: { content: string }[]): Promise<string | undefined> {
  return (await opened(sql, bundleContents, rows, "content", () => [digest]))[0]?.content;
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
