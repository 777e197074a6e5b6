import type { JsonObject } from "@reeve/model";
import { opened } from "./at-rest/at-rest.ts";
import { pastSpecs } from "./at-rest/places.ts";
import type { Sql } from "./sql.ts";

export interface Generation {
  readonly generation: number;
  readonly at: string;
  readonly author: string;
  readonly reason: string;
  readonly spec: JsonObject;
}

/** The history of a spec, newest first. */
export async function listGenerations(
  sql: Sql,
  uid: string,
  before: number,
  limit: number,
): Promise<Generation[]> {
  const rows = await sql.query<Generation>(
    `select generation, at, author, reason, spec from generation
     where uid = $1::uuid and generation < $2 order by generation desc limit $3`,
    [uid, before, limit],
  );
  return openPast(sql, uid, rows);
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
  return (await openPast(sql, uid, rows))[0];
}

function openPast(sql: Sql, uid: string, rows: Generation[]): Generation[] | Promise<Generation[]> {
  return opened(sql, pastSpecs, rows, "spec", ({ generation }) => [uid, generation]);
}
