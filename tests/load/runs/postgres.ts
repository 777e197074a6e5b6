import { existsSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { startEmbedded } from "../../../core/store/index.ts";
import { isPostgres } from "../api/server-under-test.ts";
import type { Premises } from "../measure/premises.ts";

/** The one Postgres that everything in a run of the benchmark is measured on, a database each. Durability is on. */
export interface Postgres {
  readonly url: string;
  readonly pid: number;
  /** The address of a new, empty database. */
  database(name: string): Promise<string>;
}

export async function startPostgres(premises: Premises): Promise<Postgres> {
  const folder = premises.folder();
  const data = join(folder, "postgres");
  const { url, stop } = await startEmbedded({
    folder: data,
    logFile: join(folder, "postgres.log"),
    settings: { max_connections: "200" },
  });
  premises.ending(stop);
  const pid = postmasterOf(data);
  premises.lastly(() => {
    if (isPostgres(pid)) process.kill(pid, "SIGQUIT");
  });
  return {
    url,
    pid,
    async database(name) {
      await query(url, `create database ${name}`);
      return url.replace("/postgres?", `/${name}?`);
    },
  };
}

/** One question on a connection of its own. */
export async function query<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

function postmasterOf(data: string): number {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) throw new Error("Postgres runs, but its postmaster.pid was not found");
  return Number(readFileSync(realpathSync(file), "utf8").split("\n")[0]);
}
