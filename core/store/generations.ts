import type { JsonObject } from "@reeve/model";
import type { Sql } from "./sql.ts";

export interface Generation {
  readonly generation: number;
  readonly at: string;
  readonly author: string;
  readonly reason: string;
  readonly spec: JsonObject;
}

/** The history of a spec, newest first. */
export function listGenerations(sql: Sql, uid: string, before: number, limit: number): Promise<Generation[]> {
  return sql.query<Generation>(
    `select generation, at, author, reason, spec from generation
     where uid = $1::uuid and generation < $2 order by generation desc limit $3`,
    [uid, before, limit],
  );
}

export async function readGeneration(
  sql: Sql,
  uid: string,
  generation: number,
): Promise<Generation | undefined> {
  const rows = await sql.query<Generation>(
    "select generation, at, author, reason, spec from generation where uid = $1::uuid and generation = $2",
    [uid, generation],
  );
  return rows[0];
}
