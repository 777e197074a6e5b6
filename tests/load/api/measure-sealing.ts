import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { until } from "../../harness/until.ts";
import { startGenerator } from "../measure/generator.ts";
import { say } from "../measure/progress.ts";
import { type Spread, spread } from "../measure/quantiles.ts";
import { whole } from "../measure/table.ts";
import type { Stage } from "./stages.ts";

export interface SealingFigures {
  readonly sealed: Spread;
  readonly unsealed: Spread;
  /** Each window in which the audit is sealed over the one before, in which it is not. */
  readonly ratio: Spread;
  /** What one apply takes of a core in server and database, in ms: the same however much of the machine others have. */
  readonly cpuMs: { readonly sealed: Spread; readonly unsealed: Spread };
}

const connections = 16;
const windows = 3;
/** So long a replica may believe that a bucket is still its own. */
const tendMs = 10_000;

/**
 * What sealing the audit costs the applies: whoever holds the first bucket seals, so the benchmark holds it for a window and
 * gives it back for the next, which begins when nothing is left over from the one before.
 */
export async function measureSealing(stage: Stage): Promise<SealingFigures> {
  const { premises, port, token, size, databaseUrl, quick } = stage;
  const sql = new pg.Client({ connectionString: databaseUrl, application_name: "reeve-bench" });
  await sql.connect();
  const hold = (session: string | null, seconds: number) =>
    sql.query(
      "update bucket set holder = null, session = $1, until = now() + $2 * interval '1 second' where bucket = 0",
      [session, seconds],
    );
  const left = async () => {
    const { rows } = await sql.query(
      "select count(*)::int as left from audit where revision > (select revision from audit_sealed where id = 1)",
    );
    return rows[0].left as number;
  };
  const applies = await startGenerator(premises, "applies", { port, token, connections, size });
  const seconds = quick ? 3 : 8;
  await applies.window({ seconds: 2 });
  const window = async () => {
    const cpu = stage.countCpu([applies]);
    const { perSecond } = await applies.window({ seconds });
    const { server = 0, postgres = 0 } = cpu();
    return { perSecond, cpuMs: ((server + postgres) / perSecond) * 1000 };
  };
  type Window = Awaited<ReturnType<typeof window>>;
  const done: { readonly sealed: Window; readonly unsealed: Window }[] = [];
  for (let turn = 0; turn < windows; turn++) {
    await hold(randomUUID(), 3600);
    await sleep(tendMs);
    const before = await left();
    const unsealed = await window();
    if ((await left()) - before < unsealed.perSecond)
      throw new Error("the audit was sealed while it should not be");
    await hold(null, 0);
    await until("the audit to be sealed", async () => (await left()) === 0, 120_000);
    const sealed = await window();
    done.push({ sealed, unsealed });
    say(
      `${whole(size)} resources: ${whole(sealed.perSecond)} applies/s while the audit is sealed, ${whole(unsealed.perSecond)} while not`,
    );
  }
  await Promise.all([applies.end(), sql.end()]);
  return {
    sealed: spread(done.map(({ sealed }) => sealed.perSecond)),
    unsealed: spread(done.map(({ unsealed }) => unsealed.perSecond)),
    ratio: spread(done.map(({ sealed, unsealed }) => sealed.perSecond / unsealed.perSecond)),
    cpuMs: {
      sealed: spread(done.map(({ sealed }) => sealed.cpuMs)),
      unsealed: spread(done.map(({ unsealed }) => unsealed.cpuMs)),
    },
  };
}
