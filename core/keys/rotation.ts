import { Fault } from "@reeve/model";
import {
  type Database,
  listSealed,
  replaceSealed,
  replaceWrapped,
  retiredScopeKeys,
  type SealedColumn,
  scopeKeysToRewrap,
} from "@reeve/store";
import type { Keyring } from "./keys.ts";
import type { RootKey } from "./root.ts";
import type { Roots } from "./roots.ts";

const batch = 100;

/** The root key to move to: the newest of the first place, if it is newer than the current one, else one that is made now. */
export async function nextRoot(roots: Roots, replicas: number): Promise<RootKey> {
  const [place] = roots.places;
  const current = await roots.current();
  const held = await place.keys();
  const newer = held.slice(held.findIndex((key) => key.id === current.id) + 1).at(-1);
  if (newer !== undefined) return newer;
  if (replicas > 1 && !place.seenByAll)
    throw new Fault(
      "precondition",
      `${replicas} replicas are running, and a key made here would be known to one`,
      {
        next: `append the same new key for each of them to ${place.where} (\`openssl rand -base64 32\` makes one), then rotate again`,
      },
    );
  return place.make();
}

/**
 * Does a little of what rotations have left to do, and tells how much; nothing is left when it did nothing. What is left is seen
 * in the rows themselves, so whoever is killed here is followed by whoever comes next.
 */
export async function rotateSome(
  database: Database,
  keys: Keyring,
  columns: readonly SealedColumn[],
): Promise<number> {
  keys.refresh();
  const scopeKeys = await rewrapScopeKeys(database, keys.roots);
  if (scopeKeys > 0) return scopeKeys;
  for (const retired of await retiredScopeKeys(database))
    for (const column of columns) {
      const values = await rewrapValues(database, keys, column, retired);
      if (values > 0) return values;
    }
  return 0;
}

async function rewrapScopeKeys(database: Database, roots: Roots): Promise<number> {
  const rows = await scopeKeysToRewrap(database, batch);
  if (rows.length === 0) return 0;
  const root = await roots.current();
  for (const row of rows) {
    const secret = await (await roots.get(row.root)).unwrap(row.wrapped);
    await replaceWrapped(database, row, { ...row, root: root.id, wrapped: await root.wrap(secret) });
  }
  return rows.length;
}

async function rewrapValues(
  database: Database,
  keys: Keyring,
  column: SealedColumn,
  scopeKey: string,
): Promise<number> {
  const values = await listSealed(database, column, scopeKey, batch);
  const renewed = await Promise.all(
    values.map(async (value) => ({ value, after: await keys.rewrap(value.sealed) })),
  );
  if (values.length > 0)
    await database.transact((sql) =>
      Promise.all(renewed.map(({ value, after }) => replaceSealed(sql, column, value, after))),
    );
  return values.length;
}
