import type { Socket } from "node:net";
import { finished, type Readable, type Writable } from "node:stream";
import pg from "pg";
import { from, to } from "pg-copy-streams";
import { parsers } from "./parsers.ts";
import type { Sql } from "./sql.ts";

/**
 * A connection of one's own, outside the pool and without its limits of time: for what takes long, such as copying tables.
 * Nothing is repeated for it; when it breaks, its work is begun again.
 */
export interface Connection extends Sql {
  /** The rows of a query in Postgres' text form, a line each. */
  copyOut(query: string): Copy<Readable>;
  /** Rows in that form into a table, given as `table (column, …)`. */
  copyIn(table: string): Copy<Writable>;
  close(): Promise<void>;
}

interface Copy<Stream> {
  readonly stream: Stream;
  /** How many rows were copied; known when the connection has answered the next query. */
  rows(): number;
}

export async function connect(url: string): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    types: parsers,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    application_name: "reeve",
  });
  // A connection that dies fails what is under way; the next query finds out by itself.
  client.on("error", () => {});
  await client.connect();
  let copying = 0;

  function copy<Stream extends (Readable | Writable) & { rowCount: number }>(stream: Stream): Copy<Stream> {
    copying++;
    finished(stream, (error) => {
      if (error == null) copying--;
    });
    return { stream, rows: () => stream.rowCount };
  }

  return {
    async query<Row>(text: string, values: readonly unknown[] = []) {
      return (await client.query(text, values as unknown[])).rows as Row[];
    },
    copyOut: (query) => copy(client.query(to(`copy (${query}) to stdout`))),
    copyIn: (table) => copy(client.query(from(`copy ${table} from stdin`))),
    async close() {
      // In the middle of a copy nobody would hear a farewell: the server has to notice by itself.
      if (copying > 0) (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
      else await client.end();
    },
  };
}

/** The same server and user, another database. The name is ours, never a caller's. */
export function withDatabase(url: string, name: string): string {
  return url.replace(/^(\w+:\/\/[^/?]*)(?:\/[^?]*)?/, `$1/${name}`);
}
