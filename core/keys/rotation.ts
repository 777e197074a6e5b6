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

/** What one step did: how much it renewed, and where it met what does not open and is left as it is. */
export interface Step {
  readonly renewed: number;
  readonly broken: readonly string[];
}

/**
 * Does a little of what rotations have left to do; nothing is left when it renewed nothing. What is left is seen in the rows
 * themselves, so whoever is killed here is followed by whoever comes next.
 */
export async function rotateSome(
  database: Database,
  keys: Keyring,
  columns: readonly SealedColumn[],
): Promise<Step> {
  keys.refresh();
  const broken: string[] = [];
  const scopeKeys = await rewrapScopeKeys(database, keys.roots);
  broken.push(...scopeKeys.broken);
  if (scopeKeys.renewed > 0) return { renewed: scopeKeys.renewed, broken };
  for (const retired of await retiredScopeKeys(database))
    for (const column of columns) {
      const values = await rewrapValues(database, keys, column, retired);
      broken.push(...values.broken);
      if (values.renewed > 0) return { renewed: values.renewed, broken };
    }
  return { renewed: 0, broken };
}

async function rewrapScopeKeys(database: Database, roots: Roots): Promise<Step> {
  const rows = await scopeKeysToRewrap(database, batch);
  if (rows.length === 0) return { renewed: 0, broken: [] };
  const root = await roots.current();
  const broken: string[] = [];
  for (const row of rows) {
    const secret = await unlessBroken((await roots.get(row.root)).unwrap(row.wrapped));
    if (secret === undefined) broken.push(`scope key ${row.id}`);
    else await replaceWrapped(database, row, { ...row, root: root.id, wrapped: await root.wrap(secret) });
  }
  return { renewed: rows.length - broken.length, broken };
}

async function rewrapValues(
  database: Database,
  keys: Keyring,
  column: SealedColumn,
  scopeKey: string,
): Promise<Step> {
  const values = await listSealed(database, column, scopeKey, batch);
  const afters = await Promise.all(values.map(({ sealed }) => unlessBroken(keys.rewrap(sealed))));
  const renewed = values.flatMap((value, at) => {
    const after = afters[at];
    return after === undefined ? [] : [{ value, after }];
  });
  if (renewed.length > 0)
    await database.transact((sql) =>
      Promise.all(renewed.map(({ value, after }) => replaceSealed(sql, column, value, after))),
    );
  const broken = values.filter((_, at) => afters[at] === undefined);
  return { renewed: renewed.length, broken: broken.map(({ row }) => `${column.table} ${row.join("/")}`) };
}

/** What was changed outside of Reeve opens for nobody, and must not keep the rest from being renewed. */
async function unlessBroken<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (error instanceof Fault && error.kind === "unavailable") throw error;
    return undefined;
  });
}
