import type { Scope } from "@reeve/model";
import { keepText, opened, type Place, type Sql } from "@reeve/store";

export const folderContents: Place = {
  ...{ table: "repository_folder", key: "repository_uid, folder", column: "content", form: "text" },
  scope: "(select r.scope from resource r where r.uid = t.repository_uid)",
};

/** A folder of a repository at the revision at which it last changed. */
export interface FolderRow {
  readonly folder: string;
  readonly tree: string;
  readonly revision: string;
  readonly digest: string;
  readonly content: string;
  readonly trouble: string;
}

export interface SourceUse {
  readonly service: string;
  readonly folder: string;
}

/** Notes where a service has its files, and lets the repository of that name look, which has to read them. */
export async function noteSource(
  sql: Sql,
  service: { readonly uid: string; readonly scope: Scope },
  source: { readonly repository: string; readonly folder: string } | undefined,
  scopes: readonly Scope[],
): Promise<void> {
  if (source === undefined) {
    await sql.query("delete from service_source where service_uid = $1::uuid", [service.uid]);
    return;
  }
  await sql.query(
    `insert into service_source (service_uid, scope, repository, folder) values ($1::uuid, $2, $3, $4)
     on conflict (service_uid) do update set repository = excluded.repository, folder = excluded.folder`,
    [service.uid, service.scope, source.repository, source.folder],
  );
  await sql.query(
    `update look set due_at = clock_timestamp() where uid in (
       select uid from resource where kind = 'Repository' and name = $1 and scope = any($2::text[]))`,
    [source.repository, scopes],
  );
}

/** The services of a scope and below that name a repository so. */
export function readUses(sql: Sql, scope: Scope, repository: string): Promise<SourceUse[]> {
  return sql.query<SourceUse>(
    `select service_uid as service, folder from service_source
     where repository = $1 and (scope = $2 or scope like $2 || '/%') order by service_uid`,
    [repository, scope],
  );
}

/** What is known of the folders, without their content. */
export function readFolders(sql: Sql, repository: string): Promise<Pick<FolderRow, "folder" | "tree">[]> {
  return sql.query("select folder, tree from repository_folder where repository_uid = $1::uuid", [
    repository,
  ]);
}

export async function readFolder(
  sql: Sql,
  repository: string,
  folder: string,
): Promise<FolderRow | undefined> {
  const rows = await sql.query<FolderRow>(
    `select folder, tree, revision, digest, content, trouble from repository_folder
     where repository_uid = $1::uuid and folder = $2`,
    [repository, folder],
  );
  return (await opened(sql, folderContents, rows, "content", () => [repository, folder]))[0];
}

export async function writeFolder(
  sql: Sql,
  { uid, scope }: { readonly uid: string; readonly scope: Scope },
  row: FolderRow,
): Promise<void> {
  const content = keepText(sql.atRest?.sealer(scope), folderContents, [uid, row.folder], row.content);
  await sql.query(
    `insert into repository_folder (repository_uid, folder, tree, revision, digest, content, trouble)
     values ($1::uuid, $2, $3, $4, $5, $6, $7) on conflict (repository_uid, folder) do update set
       tree = excluded.tree, revision = excluded.revision, digest = excluded.digest, content = excluded.content,
       trouble = excluded.trouble`,
    [uid, row.folder, row.tree, row.revision, row.digest, content, row.trouble],
  );
}

export async function forgetFolders(sql: Sql, repository: string, folders: readonly string[]): Promise<void> {
  await sql.query(
    "delete from repository_folder where repository_uid = $1::uuid and folder = any($2::text[])",
    [repository, folders],
  );
}
