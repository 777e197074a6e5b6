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
/** What one window gets of a machine differs by a third; the price is a twentieth. So many pairs, of which the middle one counts. */
const pairCount = { quick: 5, full: 13 };
const mostTries = 10;
/** A window in which less was sealed than it wrote has left work to others, one in which more was sealed has done theirs. */
const ownShare = { least: 0.97, most: 1.1 };

/** Further than any record: the sealer finds nothing to do. */
const farAhead = 2 ** 52;

/**
 * What sealing the audit costs the applies. For one window the benchmark tells the sealer that everything is sealed, and gives its
 * place back for the next, in the order A B B A; all else that the server does for itself goes on in both. The load goes on from
 * the change to the end of the window, so that all begin as warm as each other.
 */
export async function measureSealing(stage: Stage): Promise<SealingFigures> {
  const { premises, port, token, size, databaseUrl, quick } = stage;
  const sql = new pg.Client({ connectionString: databaseUrl, application_name: "reeve-bench" });
  await sql.connect();
  const disconnect = premises.ending(() => sql.end());
  const opening = { port, token, connections, size, firstTurn: 1_000_000 };
  const applies = await startGenerator(premises, "applies", opening);
  const seconds = quick ? 2 : 4;

  const number = async (text: string, values: unknown[] = []): Promise<number> =>
    Number((await sql.query({ text, values, rowMode: "array" })).rows[0]?.[0]);
  const sealedUpTo = () => number("select revision from audit_sealed where id = 1");
  const moveTo = (revision: number) =>
    number(
      `with was as (select revision from audit_sealed where id = 1 for update)
       update audit_sealed s set revision = $1 from was where s.id = 1 returning was.revision`,
      [revision],
    );
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

  async function sealedWindow(): Promise<Window> {
    for (let tries = 0; tries < mostTries; tries++) {
      const warm = await window(warmSeconds);
      // It has not caught up with the window before.
      if (warm.left > warm.written) continue;
      const one = await window(seconds);
      const share = one.sealed / one.written;
      if (share >= ownShare.least && share <= ownShare.most) return one;
    }
    throw new Error("in no window as much was sealed as was written");
  }

  async function unsealedWindow(): Promise<Window> {
    const sealed = await moveTo(farAhead);
    await window(warmSeconds);
    const one = await window(seconds);
    await moveTo(sealed);
    return one;
  }

  const pairs: SealingFigures["pairs"][number][] = [];
  for (let turn = 0; turn < (quick ? pairCount.quick : pairCount.full); turn++) {
    const order = turn % 2 === 0 ? (["unsealed", "sealed"] as const) : (["sealed", "unsealed"] as const);
    const pair: Partial<Record<(typeof order)[number], Window>> = {};
    for (const is of order) pair[is] = await (is === "sealed" ? sealedWindow() : unsealedWindow());
    const { sealed, unsealed } = pair as SealingFigures["pairs"][number];
    pairs.push({ sealed, unsealed });
    say(
      `${whole(size)} resources: ${whole(sealed.perSecond)} applies/s of ${cpuOf(sealed).toFixed(2)} ms of CPU while the audit is sealed, ` +
        `${whole(unsealed.perSecond)} of ${cpuOf(unsealed).toFixed(2)} ms while not`,
    );
  }
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
