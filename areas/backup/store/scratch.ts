import type { Connection, Database } from "@reeve/store";

/** Why there is no scratch database: the server's user may not make one. */
export class NoScratch extends Error {}

/** A database for a moment, beside ours. What a killed server left of it is cleared away by the next one of the same name. */
export async function withScratch<T>(
  database: Database,
  name: string,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const beside = await database.apart();
  try {
    await beside.query(`drop database if exists ${name} with (force)`);
    await beside.query(`create database ${name} template template0`).catch((error: unknown) => {
      if (codeOf(error) === "42501") throw new NoScratch();
      throw error;
    });
    const scratch = await database.apart(name);
    try {
      return await use(scratch);
    } finally {
      await scratch.close();
      await beside.query(`drop database if exists ${name} with (force)`);
    }
  } finally {
    await beside.close();
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
