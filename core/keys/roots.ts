import { Fault } from "@reeve/model";
import { type Database, insertFirstRoot, neededRoots, readCurrentRoot } from "@reeve/store";
import type { RootKey, RootPlace } from "./root.ts";

/** All root keys that this replica can reach. New ones are made in the first place; the others may still hold older ones. */
export interface Roots {
  readonly places: readonly [RootPlace, ...RootPlace[]];
  get(id: string): Promise<RootKey>;
  /** The key that closes whatever is closed now. */
  current(): Promise<RootKey>;
}

/**
 * Finds the root keys that the database needs. A key is made only for a database that knows none: a lost key is never replaced
 * by a new one, and there is no other way in.
 */
export async function openRoots(database: Database, places: Roots["places"]): Promise<Roots> {
  async function find(id: string): Promise<RootKey | undefined> {
    for (const place of places) {
      const found = (await place.keys()).find((key) => key.id === id);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  async function held(id: string): Promise<RootKey> {
    const key = await find(id);
    if (key !== undefined) return key;
    throw new Fault("unavailable", `this replica does not hold the root key ${id}`, {
      next: `give it that key: ${places.map(({ where }) => where).join(", ")}`,
    });
  }
  if ((await readCurrentRoot(database)) === undefined) {
    const [place] = places;
    const key = (await place.keys()).at(-1) ?? (await place.make());
    await insertFirstRoot(database, { id: key.id, proof: await proofOf(key) });
  }
  for (const { id, proof } of await neededRoots(database)) {
    const key = await find(id);
    if (key === undefined) throw new Error(await missing(id, places));
    const plain = await key.unwrap(proof).catch((error: unknown) => {
      if (error instanceof Fault) throw error;
      return undefined;
    });
    if (plain === undefined || Buffer.from(plain).toString() !== id)
      throw new Error(`the root key ${id} does not open what was closed by it: ${remedy}`);
  }
  return {
    places,
    get: held,
    current: async () => held((await readCurrentRoot(database))?.id ?? ""),
  };
}

export async function proofOf(key: RootKey): Promise<string> {
  return key.wrap(Buffer.from(key.id));
}

const remedy =
  "bring the right key back, from where you keep a copy or from another replica. Nothing sealed can be read without it, and Reeve does not begin with another one";

async function missing(id: string, places: Roots["places"]): Promise<string> {
  const looked = await Promise.all(
    places.map(async (place) => {
      const ids = (await place.keys()).map((key) => key.id);
      return `${place.where}: ${ids.length === 0 ? "no key" : ids.join(", ")}`;
    }),
  );
  return `the database needs the root key ${id}, which was not found in ${looked.join("; ")}. To go on, ${remedy}`;
}
