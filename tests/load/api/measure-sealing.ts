import { randomUUID } from "node:crypto";
import pg from "pg";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { type Spread, spread } from "../measure/quantiles.ts";
import { whole } from "../measure/table.ts";
import type { Stage } from "./stages.ts";

interface Window {
  readonly perSecond: number;
  /** What one apply takes of a core, in ms: the same however much of the machine others have. */
  readonly cpuMs: { readonly server: number; readonly postgres: number };
  /** Records that were written and that were sealed meanwhile, and that were left to seal. */
  readonly written: number;
  readonly sealed: number;
  readonly left: number;
}

export interface SealingFigures {
  readonly pairs: readonly { readonly sealed: Window; readonly unsealed: Window }[];
  readonly perSecond: { readonly sealed: Spread; readonly unsealed: Spread };
  /** Applies a second of a window in which the audit is sealed over those of the window beside it, in which it is not. */
  readonly ratio: Spread;
  readonly cpuMs: { readonly sealed: Spread; readonly unsealed: Spread };
  /** How many applies a core's time is enough for while the audit is sealed, over how many while it is not. */
  readonly cpuRatio: Spread;
}

const connections = 16;
const warmSeconds = 2;
const mostTries = 10;
/** A window in which less was sealed than it wrote has left its work to others. */
const ownShare = 0.97;

/**
 * What sealing the audit costs the applies. Whoever holds the first bucket seals: the benchmark holds it for one window and
 * leaves it to the server for the next, in the order A B B A. The load goes on from the change to the end of the window, so that
 * all begin as warm as each other.
 */
export async function measureSealing(stage: Stage): Promise<SealingFigures> {
  const { premises, port, token, size, databaseUrl, quick } = stage;
  const sql = new pg.Client({ connectionString: databaseUrl, application_name: "reeve-bench" });
  await sql.connect();
  const disconnect = premises.ending(() => sql.end());
  const opening = { port, token, connections, size, firstTurn: 1_000_000 };
  const applies = await startGenerator(premises, "applies", opening);
  const seconds = quick ? 4 : 6;

  const hold = (session: string | null, forSeconds: number) =>
    sql.query(
      "update bucket set holder = null, session = $1, until = now() + $2 * interval '1 second' where bucket = 0",
      [session, forSeconds],
    );
  const number = async (text: string, values: unknown[] = []): Promise<number> =>
    Number((await sql.query({ text, values, rowMode: "array" })).rows[0]?.[0]);
  const sealedUpTo = () => number("select revision from audit_sealed where id = 1");
  const records = (after: number, upTo?: number) =>
    number("select count(*) from audit where revision > $1 and ($2::bigint is null or revision <= $2)", [
      after,
      upTo,
    ]);

  async function window(length: number): Promise<Window> {
    const before = await sealedUpTo();
    const cpu = stage.countCpu([applies]);
    const { perSecond, created, updated } = await applies.window({ seconds: length });
    const { server = 0, postgres = 0 } = cpu();
    const after = await sealedUpTo();
    return {
      perSecond,
      cpuMs: { server: (server / perSecond) * 1000, postgres: (postgres / perSecond) * 1000 },
      written: created + updated,
      sealed: await records(before, after),
      left: await records(after),
    };
  }

  async function windowThat(is: "sealed" | "unsealed"): Promise<Window> {
    await (is === "sealed" ? hold(null, 0) : hold(randomUUID(), 3600));
    for (let tries = 0; tries < mostTries; tries++) {
      const warm = await window(warmSeconds);
      // The replica has not noticed yet that the bucket changed hands, or has not caught up.
      if (is === "sealed" ? warm.left > warm.written : warm.sealed > 0) continue;
      const one = await window(seconds);
      if (is === "sealed" ? one.sealed >= one.written * ownShare : one.sealed === 0) return one;
    }
    throw new Error(`in no window the audit was ${is} as it should`);
  }

  const pairs: SealingFigures["pairs"][number][] = [];
  for (let turn = 0; turn < (quick ? 2 : 4); turn++) {
    const order = turn % 2 === 0 ? (["unsealed", "sealed"] as const) : (["sealed", "unsealed"] as const);
    const pair: Partial<Record<(typeof order)[number], Window>> = {};
    for (const is of order) pair[is] = await windowThat(is);
    const { sealed, unsealed } = pair as SealingFigures["pairs"][number];
    pairs.push({ sealed, unsealed });
    say(
      `${whole(size)} resources: ${whole(sealed.perSecond)} applies/s of ${cpuOf(sealed).toFixed(2)} ms of CPU while the audit is sealed, ` +
        `${whole(unsealed.perSecond)} of ${cpuOf(unsealed).toFixed(2)} ms while not`,
    );
  }
  await hold(null, 0);
  await Promise.all([applies.end(), disconnect()]);
  const spreads = (of: (window: Window) => number) => ({
    sealed: spread(pairs.map(({ sealed }) => of(sealed))),
    unsealed: spread(pairs.map(({ unsealed }) => of(unsealed))),
  });
  return {
    pairs,
    perSecond: spreads((window) => window.perSecond),
    ratio: spread(pairs.map(({ sealed, unsealed }) => sealed.perSecond / unsealed.perSecond)),
    cpuMs: spreads(cpuOf),
    cpuRatio: spread(pairs.map(({ sealed, unsealed }) => cpuOf(unsealed) / cpuOf(sealed))),
  };
}

function cpuOf({ cpuMs }: Window): number {
  return cpuMs.server + cpuMs.postgres;
}
