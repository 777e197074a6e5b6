import { setTimeout as sleep } from "node:timers/promises";
import type { PrivatePostgres } from "../../harness/private-postgres.ts";
import type { Random } from "../../harness/random.ts";
import type { Replica } from "../../harness/replicas.ts";
import type { TcpProxy } from "../../harness/tcp-proxy.ts";

export interface Scene {
  readonly postgres: PrivatePostgres;
  readonly a: { readonly replica: Replica; readonly proxy: TcpProxy };
  readonly b: { readonly replica: Replica; readonly proxy: TcpProxy };
  readonly random: Random;
  /** Tells what happens when; for the report of a failure. */
  readonly log: (what: string) => void;
}

export const leaseMs = 10_000;

/**
 * About a minute of bad weather. Two things go wrong at a time: B sleeps for 0.5, 1.1 and 3 leases and is killed in between;
 * meanwhile A, Postgres and the connections to it are killed and cut at random.
 */
export async function storm(scene: Scene): Promise<void> {
  let over = false;
  const other = gusts(scene, () => over);
  await sleepy(scene).finally(() => {
    over = true;
  });
  await other;
}

async function sleepy({ b, log }: Scene): Promise<void> {
  const sleeps = async (leases: number) => {
    log(`B sleeps for ${leases} leases`);
    b.replica.pause();
    await sleep(leases * leaseMs).finally(() => b.replica.resume());
    log("B wakes");
  };
  await sleep(2000);
  await sleeps(0.5);
  cutCommits(b, "after", log);
  await sleep(3000);
  log("kill -9 of B");
  await b.replica.crash();
  await b.replica.start();
  cutCommits(b, "before", log);
  await sleep(2000);
  await sleeps(1.1);
  await sleep(3000);
  await sleeps(3);
}

function cutCommits({ replica, proxy }: Scene["a"], when: "before" | "after", log: Scene["log"]): void {
  log(`commits of ${replica.name} are cut ${when} they happen`);
  proxy.cutCommits(when, 4);
}

async function gusts({ postgres, a, b, random, log }: Scene, over: () => boolean): Promise<void> {
  const faults: readonly (() => Promise<void> | void)[] = [
    async () => {
      log("kill -9 of A");
      await a.replica.crash();
      await a.replica.start();
    },
    async () => {
      log("kill -9 of Postgres");
      await postgres.crash();
      await sleep(random.between(0, 1500));
      await postgres.start();
    },
    async () => {
      log("A sleeps for 2 s");
      a.replica.pause();
      await sleep(2000).finally(() => a.replica.resume());
    },
    () => {
      log("connections of A are cut");
      a.proxy.cutAll();
    },
    () => {
      log("connections of B are cut");
      b.proxy.cutAll();
    },
    () => cutCommits(a, "before", log),
    () => cutCommits(a, "after", log),
  ];
  // Each once, in a random order, and then by chance: no seed may leave one out.
  const deck = faults.map((fault) => ({ fault, at: random.next() })).sort((x, y) => x.at - y.at);
  while (!over()) {
    await sleep(random.between(500, 2500));
    const fault = deck.shift()?.fault ?? random.pick(faults);
    await fault();
  }
}
