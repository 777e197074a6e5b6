import { type SealingAtRest, walkAtRest } from "@reeve/keys";
import { type Database, listAtRest, noteWanted, type Place, sealingOrganizations } from "@reeve/store";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";
import { repeat } from "./repeat.ts";

const everyMs = 2000;

/** Has this replica know which organizations seal what they keep: before it serves, and whenever one of them changes. */
export async function followAtRest(
  database: Database,
  atRest: SealingAtRest,
  log: Log,
): Promise<{ changed(changes: readonly { readonly kind: string }[]): void; stop(): Promise<void> }> {
  await atRest.refresh();
  database.atRest = atRest;
  const refreshing = repeat(everyMs, atRest.refresh, (error) =>
    log.warn({ err: error }, "cannot tell which organizations seal what they keep; trying again"),
  );
  return {
    changed(changes) {
      if (changes.some(({ kind }) => kind === "Organization")) refreshing.now();
    },
    stop: refreshing.stop,
  };
}

/** Lets what was there before follow, on the replica that holds the first bucket, until all is as organizations want it. */
export function startAtRest(
  database: Database,
  leases: Leases,
  atRest: SealingAtRest,
  places: readonly Place[],
  log: Log,
): () => Promise<void> {
  let stopped = false;
  /** What was last logged as broken: it would be met again at every turn. */
  let told = "";
  const mine = () => !stopped && leases.mine.includes(0);

  async function follow(): Promise<void> {
    if (!mine()) return;
    const sealing = await sealingOrganizations(database);
    const known = (await listAtRest(database)).filter(({ sealed }) => sealed);
    if (known.map(({ organization }) => organization).join() !== sealing.join())
      await noteWanted(database, sealing);
    const pending = (await listAtRest(database)).filter(
      ({ organization, sealed, settledAt }) =>
        settledAt === null && sealed === sealing.includes(organization),
    );
    if (pending.length === 0) return;
    await atRest.refresh();
    const { moved, broken } = await walkAtRest(database, atRest, places, pending, mine);
    if (moved > 0) log.info({ moved }, "what was there before is kept as its organization wants it");
    if (broken.length > 0 && broken.join() !== told)
      log.error({ broken: broken.slice(0, 100) }, "values that do not open are left sealed: restore them");
    told = broken.join();
  }

  const following = repeat(everyMs, follow, (error) =>
    log.warn({ err: error }, "what organizations want sealed could not be looked through; trying again"),
  );
  return async () => {
    stopped = true;
    await following.stop();
  };
}
