import { type Keyring, rotateSome } from "@reeve/keys";
import type { Database, SealedColumn } from "@reeve/store";
import type { Log } from "../controller.ts";
import type { Leases } from "../reconcile/leases.ts";
import { repeat } from "./repeat.ts";

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
  /** What was last logged as broken: it would be met again at every turn. */
  let told = "";

  async function rotate(): Promise<void> {
    let total = 0;
    while (!stopped && leases.mine.includes(0)) {
      const { renewed, broken } = await rotateSome(database, keys, columns);
      total += renewed;
      if (renewed > 0) continue;
      if (broken.length > 0 && broken.join() !== told)
        log.error(
          { broken },
          "values that do not open are left under their old key: restore them, or set them anew",
        );
      told = broken.join();
      break;
    }
    if (total > 0) log.info({ renewed: total }, "keys were rotated");
  }

  const rotating = repeat(everyMs, rotate, (error) =>
    log.warn({ err: error }, "a rotation of keys could not go on; trying again in a moment"),
  );
  return async () => {
    stopped = true;
    await rotating.stop();
  };
}
