import {
  announceReplica,
  type Database,
  type Holder,
  listReplicas,
  showCertificate,
  touchReplica,
  withdrawReplica,
} from "@reeve/store";

/** Our own row in the replica table: others trust the certificate in it while it is fresh. */
export interface Presence {
  /** False when another process has taken our name. */
  touch(): Promise<boolean>;
  /** Others trust this certificate from now on, and no longer the one before. */
  show(certificate: string): Promise<void>;
  withdraw(): Promise<void>;
}

export type Announcement = Parameters<typeof announceReplica>[1];

export async function openPresence(database: Database, announced: Announcement): Promise<Presence> {
  let me = announced;
  await announceReplica(database, me);
  return {
    async touch() {
      if (await touchReplica(database, me)) return true;
      if (await isTaken(database, me)) return false;
      // After a long sleep our row may have been cleared away: come back.
      await announceReplica(database, me);
      return true;
    },
    async show(certificate) {
      await showCertificate(database, me, certificate);
      me = { ...me, certificate };
    },
    withdraw: () => withdrawReplica(database, me),
  };
}

async function isTaken(database: Database, me: Holder): Promise<boolean> {
  const row = (await listReplicas(database)).find((one) => one.name === me.name);
  return row !== undefined && row.session !== me.session;
}
