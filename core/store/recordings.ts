import type { RecordedTerminal, Scope } from "@reeve/model";
import { aboutOf, keptRow, opened, openersOf } from "./at-rest/at-rest.ts";
import { recorded, recordedDetails } from "./at-rest/places.ts";
import type { Sql } from "./sql.ts";

/** What it shows is in its parts. */
export interface Recording extends RecordedTerminal {
  /** Null while it goes on, and when the server was lost before its end. */
  readonly endedAt: string | null;
  /** SHA-256 of all that was recorded, as it also stands in the audit; null when some of it could not be written. */
  readonly digest: string | null;
}

export interface RecordingFilter {
  /** Those, and everything below them. */
  readonly scopes: readonly Scope[];
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly subject?: string | undefined;
  /** Only older ones than this. */
  readonly before?: string | undefined;
}

const columns = `id, scope, kind, name, verb, host, subject, detail, at, ended_at as "endedAt",
  encode(digest, 'hex') as digest, bytes`;

export type NewRecording = Omit<Recording, "at" | "endedAt" | "digest" | "bytes">;

export async function writeRecording(sql: Sql, recording: NewRecording): Promise<void> {
  const one = keptRow(sql, recordedDetails, recording, "detail", [recording.id]);
  await sql.query(
    `insert into terminal_recording (id, scope, kind, name, verb, host, subject, detail)
     values ($1::uuid, $2, $3, $4, $5, $6, $7, $8::jsonb)`,
    [one.id, one.scope, one.kind, one.name, one.verb, one.host, one.subject, JSON.stringify(one.detail)],
  );
}

/** The next part of it, packed; `bytes` is what it has unpacked. May be repeated. */
export async function writeRecordingPart(
  sql: Sql,
  { id, scope }: Pick<Recording, "id" | "scope">,
  part: number,
  { data, bytes }: { readonly data: Buffer; readonly bytes: number },
): Promise<void> {
  const sealer = sql.atRest?.sealer(scope);
  const kept = sealer?.seal(aboutOf(recorded, [id, part]), data) ?? data;
  await sql.query(
    `with added as (
       insert into terminal_recording_part (recording_id, part, data, sealed) values ($1::uuid, $2, $3, $5::uuid)
       on conflict (recording_id, part) do nothing returning 1 as one)
     update terminal_recording set bytes = bytes + $4 where id = $1::uuid and exists (select 1 from added)`,
    [id, part, kept, bytes, sealer?.key ?? null],
  );
}

export async function endRecording(sql: Sql, id: string, digest: Buffer | null): Promise<void> {
  await sql.query("update terminal_recording set ended_at = now(), digest = $2 where id = $1::uuid", [
    id,
    digest,
  ]);
}

/** The newest first. */
export async function listRecordings(sql: Sql, filter: RecordingFilter, limit: number): Promise<Recording[]> {
  const values: unknown[] = [limit];
  const put = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const within = (scope: Scope) =>
    scope === "" ? "true" : `(scope = ${put(scope, "text")} or scope like ${put(`${scope}/%`, "text")})`;
  const terms = [`(${filter.scopes.map(within).join(" or ")})`];
  for (const column of ["kind", "name", "subject"] as const)
    if (filter[column] !== undefined) terms.push(`${column} = ${put(filter[column], "text")}`);
  if (filter.before !== undefined)
    terms.push(`(at, id) < (select at, id from terminal_recording where id = ${put(filter.before, "uuid")})`);
  const rows = await sql.query<Recording>(
    `select ${columns} from terminal_recording where ${terms.join(" and ")} order by at desc, id desc limit $1`,
    values,
  );
  return openedDetails(sql, rows);
}

export async function readRecording(sql: Sql, id: string): Promise<Recording | undefined> {
  const rows = await sql.query<Recording>(`select ${columns} from terminal_recording where id = $1::uuid`, [
    id,
  ]);
  return (await openedDetails(sql, rows))[0];
}

const openedDetails = (sql: Sql, rows: Recording[]) =>
  opened(sql, recordedDetails, rows, "detail", ({ id }) => [id]);

export async function readRecordingPart(sql: Sql, id: string, part: number): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ data: Buffer; sealed: string | null }>(
    "select data, sealed from terminal_recording_part where recording_id = $1::uuid and part = $2",
    [id, part],
  );
  if (row === undefined || row.sealed === null) return row?.data;
  const openers = await openersOf(sql, [row.sealed]);
  return openers.get(row.sealed)?.(aboutOf(recorded, [id, part]), row.data);
}

/** Whether an organization wants its terminals to be recorded. */
export async function organizationRecords(sql: Sql, name: string): Promise<boolean> {
  const rows = await sql.query(
    `select 1 as one from resource where kind = 'Organization' and scope = '' and name = $1
     and (spec ->> 'recordTerminals')::boolean`,
    [name],
  );
  return rows.length > 0;
}
