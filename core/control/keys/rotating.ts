import { type Keyring, rotateSome } from "@reeve/keys";
import type { Database, SealedColumn } from "@reeve/store";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";

const everyMs = 5000;

/** Carries rotations on, on the replica that holds the first bucket, until nothing is left under an old key. */
export function startRotating(
  database: Database,
  leases: Leases,
  keys: Keyring,
  columns: readonly SealedColumn[],
  log: Log,
): () => Promise<void> {
  let stopped = false;
  let turn: Promise<void> | undefined;
  const timer = setInterval(() => {
    turn ??= rotate()
      .catch((error: unknown) =>
        log.warn({ err: error }, "a rotation of keys could not go on; trying again in a moment"),
      )
      .finally(() => {
        turn = undefined;
      });
  }, everyMs);
  timer.unref();

  async function rotate(): Promise<void> {
    let total = 0;
    while (!stopped && leases.mine.includes(0)) {
      const done = await rotateSome(database, keys, columns);
      if (done === 0) break;
      total += done;
    }
    if (total > 0) log.info({ renewed: total }, "keys were rotated");
  }

  return async () => {
    stopped = true;
    clearInterval(timer);
    await turn;
  };
}
