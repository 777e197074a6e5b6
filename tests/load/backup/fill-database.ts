import { finished } from "node:stream/promises";
import { type Database, foundInstallation, type Migration, migrate } from "../../../core/store/index.ts";

/** Resources with a generation, a change and an audit record each, straight into the tables. */
export async function fillDatabase(
  database: Database,
  migrations: readonly Migration[],
  size: number,
): Promise<void> {
  await migrate(database, migrations);
  await foundInstallation(database, Buffer.from("bench"));
  const connection = await database.apart();
  await connection.query(
    `insert into resource (uid, kind, scope, name, generation, revision, labels, annotations, finalizers, paused, created_at, updated_at, spec, status)
     select gen_random_uuid(), 'ServiceAccount', 'bench/project-' || n % 50, 'account-' || n, 1, n,
       jsonb_build_object('tier', 'web', 'team', 'team-' || n % 100), '{}', '[]', false, now(), now(),
       jsonb_build_object('description', 'Deploys service ' || n || ' from its pipeline.'), '{}'
     from generate_series(1, $1::int) as n`,
    [size],
  );
  await connection.query(
    "insert into generation (uid, generation, revision, at, author, reason, spec) select uid, 1, revision, now(), 'User:ada', '', spec from resource",
  );
  await connection.query(
    `insert into change (revision, at, operation, uid, kind, scope, name, object)
     select revision, now(), 'created', uid, kind, scope, name, row_to_json(resource)::text from resource`,
  );
  await connection.query(
    `insert into audit (revision, at, organization, subject, via, address, request_id, operation, outcome, kind, scope, name, uid, reason, detail)
     select revision, now(), 'bench', 'User:ada', 'token:bench', '127.0.0.1', 'r' || revision, 'apply', 'done', kind, scope, name, uid, '', '{}' from resource`,
  );
  await connection.query("update revision set value = $1 where id = 1", [size]);
  await connection.close();
}

/** How many bytes the filled tables have as text. */
export async function rowBytes(database: Database): Promise<number> {
  const connection = await database.apart();
  let bytes = 0;
  for (const table of ["resource", "generation", "change", "audit"]) {
    const { stream } = connection.copyOut(`select * from ${table}`);
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await finished(stream);
  }
  await connection.close();
  return bytes;
}
