import pg from "pg";

/** The settings that decide whether a commit is durable, as the running database tells them. */
export interface PostgresFacts {
  readonly version: string;
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
  readonly sharedBuffers: string;
}

export async function readPostgres(url: string): Promise<PostgresFacts> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<PostgresFacts>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit", current_setting('full_page_writes') as "fullPageWrites",
       current_setting('shared_buffers') as "sharedBuffers"`,
  );
  await client.end();
  return rows[0] as PostgresFacts;
}
