import {
  bucketCount,
  type Database,
  type Holder,
  listBuckets,
  listReplicas,
  releaseBuckets,
  renewBuckets,
  takeBuckets,
} from "@reeve/store";

/**
 * Which buckets are ours. Leases on the database's clock; each replica wants its share; a bucket waits a while for
 * its last holder, so that a restarted replica tends to get back what it had.
 */
export interface Leases {
  readonly mine: readonly number[];
  /** Renews, gives back what is too much, takes what is free. */
  tend(): Promise<void>;
  release(): Promise<void>;
}

const leaseMs = 10_000;
const stickyMs = 5000;

export function openLeases(database: Database, me: Holder): Leases {
  let mine: number[] = [];
  let renewedAt = 0;
  return {
    // Leases that could not be renewed in time may be somebody else's by now.
    get mine() {
      return performance.now() - renewedAt < leaseMs - 1000 ? mine : [];
    },
    async tend() {
      const startedAt = performance.now();
      const held = await renewBuckets(database, me, leaseMs);
      const workers = (await listReplicas(database)).filter(
        (replica) => replica.live && replica.roles.includes("work"),
      );
      const share = Math.ceil(bucketCount / Math.max(1, workers.length));
      const excess = held.slice(share);
      if (excess.length > 0) await giveAway(database, me, excess);
      const kept = held.slice(0, share);
      const names = new Set(workers.map((worker) => worker.name));
      const wanted = kept.length < share ? await free(database, me, names, share - kept.length) : [];
      const taken = wanted.length > 0 ? await takeBuckets(database, me, wanted, leaseMs) : [];
      mine = [...kept, ...taken].sort((a, b) => a - b);
      renewedAt = startedAt;
    },
    async release() {
      mine = [];
      await releaseBuckets(database, me, "all");
    },
  };
}

async function free(
  database: Database,
  me: Holder,
  live: ReadonlySet<string>,
  count: number,
): Promise<number[]> {
  const rows = (await listBuckets(database, me)).filter((row) => !row.live);
  const ours = rows.filter((row) => row.holder === me.name);
  // Somebody else's: only when they have had their time to come back, or are there and have let go of it.
  const others = rows.filter(
    (row) => row.holder !== me.name && (row.holder === null || live.has(row.holder) || row.overMs > stickyMs),
  );
  return [...ours, ...others].slice(0, count).map((row) => row.bucket);
}

async function giveAway(database: Database, me: Holder, buckets: readonly number[]): Promise<void> {
  await releaseBuckets(database, me, buckets);
  await database.query("update bucket set holder = null where bucket = any($1::int[]) and session is null", [
    buckets,
  ]);
}
