import type { Readable } from "node:stream";
import {
  type Connection,
  type Database,
  type Installation,
  neededRoots,
  readInstallation,
} from "@reeve/store";
import { type ChainEnd, readChainEnds } from "./chain-ends.ts";
import { keptTables, quoted, type Table } from "./tables.ts";

/** The whole database at one moment, while others go on writing. */
export interface Snapshot {
  readonly takenAt: string;
  readonly installation: Installation;
  readonly revision: number;
  readonly migrations: readonly AppliedMigration[];
  readonly rootKeys: readonly string[];
  readonly auditHeads: readonly ChainEnd[];
  readonly tables: readonly Table[];
  /** The rows of a table; `rows` is asked when the stream has been read. */
  read(table: Table): { stream: Readable; rows(): Promise<number> };
  close(): Promise<void>;
}

interface AppliedMigration {
  readonly room: string;
  readonly number: number;
  readonly name: string;
  readonly hash: string;
}

export async function openSnapshot(database: Database): Promise<Snapshot> {
  const connection = await database.apart();
  try {
    await connection.query("begin isolation level repeatable read, read only");
    return await snapshotOn(connection);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function snapshotOn(connection: Connection): Promise<Snapshot> {
  const [counter] = await connection.query<{ value: number; now: string }>(
    "select value, now() as now from revision where id = 1",
  );
  const installation = await readInstallation(connection);
  if (counter === undefined || installation === undefined)
    throw new Error("there is no installation in this database");
  return {
    takenAt: counter.now,
    installation,
    revision: counter.value,
    migrations: await connection.query<AppliedMigration>(
      "select room, number, name, hash from migration where room <> 'lock' order by room, number",
    ),
    rootKeys: (await neededRoots(connection)).map((root) => root.id),
    auditHeads: await readChainEnds(connection),
    tables: await keptTables(connection),
    read({ name, columns }) {
      const copy = connection.copyOut(`select ${columns.map(quoted).join(", ")} from ${quoted(name)}`);
      return {
        stream: copy.stream,
        async rows() {
          // The count comes after the last row: once the next answer is here, it is too.
          await connection.query("select 1");
          return copy.rows();
        },
      };
    },
    close: () => connection.close(),
  };
}
