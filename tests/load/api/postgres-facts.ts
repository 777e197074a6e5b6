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
  const { rows } = await ask<PostgresFacts>(
    url,
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as "synchronousCommit", current_setting('full_page_writes') as "fullPageWrites",
       current_setting('shared_buffers') as "sharedBuffers"`,
  );
  return rows[0] as PostgresFacts;
}

export async function checkpoint(url: string): Promise<void> {
  await ask(url, "checkpoint");
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query<Row>(text);
  } finally {
    await client.end();
  }
}
