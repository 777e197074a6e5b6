import { Fault } from "@reeve/model";
import {
  type AtRest,
  aboutOf,
  type Database,
  type Kept,
  noteProgress,
  type OrganizationAtRest,
  openKept,
  type Place,
  pageOfKept,
  replaceKept,
  sealKept,
} from "@reeve/store";

/** So long after it was wanted otherwise every replica knows: what is written from then on is as it should be. */
const knownMs = 5000;

/** So many rows are held at once: whoever needs one of them waits for no more. */
const atOnce = 100;

export interface Walk {
  /** How many values are in their other form now. */
  readonly moved: number;
  /** Values that do not open, and are left as they are. */
  readonly broken: readonly string[];
}

/**
 * Looks through everything that may be sealed, and seals or opens what is not as these organizations want it. What is left to do is seen
 * in the rows themselves: whoever is killed here is followed by whoever comes next, from the beginning. An organization is settled when
 * a whole look, begun after every replica knew, has found nothing of its own.
 */
export async function walkAtRest(
  database: Database,
  atRest: AtRest,
  places: readonly Place[],
  pending: readonly OrganizationAtRest[],
  goOn: () => boolean = () => true,
): Promise<Walk> {
  const names = (sealed: boolean) =>
    pending.filter((one) => one.sealed === sealed).map(({ organization }) => organization);
  const wanted = { seal: names(true), clear: names(false) };
  const found = new Map<string, number>();
  const broken: string[] = [];
  let moved = 0;
  for (const [at, place] of places.entries()) {
    const lookingAt = `${place.table}.${place.column}, ${at + 1} of ${places.length}`;
    for (const one of pending) await noteProgress(database, one, { moved: 0, lookingAt, settled: false });
    let after: readonly unknown[] | undefined;
    do {
      if (!goOn()) return { moved, broken };
      const page = await pageOfKept(database, place, wanted, after);
      const turned = await turn(database, atRest, place, page.kept);
      broken.push(...turned.broken);
      for (const one of pending) {
        const count = turned.moved.get(one.organization) ?? 0;
        found.set(
          one.organization,
          (found.get(one.organization) ?? 0) + (turned.met.get(one.organization) ?? 0),
        );
        moved += count;
        if (count > 0) await noteProgress(database, one, { moved: count, lookingAt, settled: false });
      }
      after = page.next;
    } while (after !== undefined);
  }
  for (const one of pending)
    if (!found.get(one.organization) && one.sinceMs > knownMs)
      await noteProgress(database, one, { moved: 0, lookingAt: "", settled: true });
  return { moved, broken };
}

interface Turned {
  /** Values to be brought into their other form, by organization, and of those the ones that were. */
  readonly met: Map<string, number>;
  readonly moved: Map<string, number>;
  readonly broken: readonly string[];
}

/** Brings values into their other form, each only if it is still as it was read. */
async function turn(
  database: Database,
  atRest: AtRest,
  place: Place,
  kept: readonly Kept[],
): Promise<Turned> {
  const turned = { met: new Map<string, number>(), moved: new Map<string, number>(), broken: [] as string[] };
  const add = (to: Map<string, number>, { organization }: Kept) =>
    to.set(organization, (to.get(organization) ?? 0) + 1);
  if (kept.length === 0) return turned;
  const afters = new Map<Kept, Parameters<typeof replaceKept>[3]>();
  for (const one of kept) {
    const after = await otherForm(database, atRest, place, one).catch((error: unknown) => {
      if (error instanceof Fault && error.kind === "unavailable") throw error;
      return undefined;
    });
    if (after === undefined) turned.broken.push(aboutOf(place, one.key));
    else add(turned.met, one);
    if (after) afters.set(one, after);
  }
  const all = [...afters];
  for (let at = 0; at < all.length; at += atOnce) {
    const some = all.slice(at, at + atOnce);
    const done = await database.transact((sql) =>
      Promise.all(some.map(([one, after]) => replaceKept(sql, place, one, after))),
    );
    for (const [index, [one]] of some.entries()) if (done[index]) add(turned.moved, one);
  }
  return turned;
}

/** Null when this replica does not know yet how to. */
async function otherForm(database: Database, atRest: AtRest, place: Place, one: Kept) {
  if (one.sealed !== null)
    return { value: openKept(await atRest.opener(database, one.sealed), place, one), sealed: null };
  const sealer = atRest.sealer(one.organization);
  return sealer === undefined ? null : { value: sealKept(sealer, place, one), sealed: sealer.key };
}
