import { setTimeout as sleep } from "node:timers/promises";
import { newUid } from "@reeve/model";
import pg from "pg";
import type { AtRest } from "./at-rest/at-rest.ts";
import { type Connection, connect, withDatabase } from "./connection.ts";
import { parsers } from "./parsers.ts";
import type { Sql, Statement, Transaction } from "./sql.ts";
import { againFault, awayFault, shortFault, troubleOf } from "./trouble.ts";

/**
 * The way to the database. Promises: a transaction is carried out once or not at all, also when the connection dies
 * during COMMIT; a passing outage, and others in the way, are waited out for `patienceMs`, then answered as `unavailable`.
 */
export interface Database extends Sql {
  /** A single statement that may be repeated without harm: a read, or a write that sets what it sets. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs `body` in a transaction; it may be run several times, so it must keep its effects inside the database. */
  transact<T>(body: (sql: Transaction) => Promise<T>): Promise<T>;
  /**
   * These statements in one transaction and one round trip; the rows of each. It leaves no mark: when its fate is unknown it is
   * carried out again, so only for what may be repeated.
   */
  atOnce(statements: readonly Statement[]): Promise<unknown[][]>;
  /** A connection apart from all others, to this database or to another one on its server. */
  apart(database?: string): Promise<Connection>;
  /** Since when the database has not answered; undefined when it did when last asked. */
  readonly awaySince: string | undefined;
  /** How many queries it answers at once. */
  readonly connections: number;
  /** Set by who opens the keys. */
  atRest?: AtRest | undefined;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly url: string;
  readonly connections?: number;
  readonly patienceMs?: number;
  /** Called for every try that failed. */
  readonly onTrouble?: (trouble: string, error: unknown) => void;
  /** The database answers again. */
  readonly onRecovery?: (awayMs: number) => void;
}

export function openDatabase(options: DatabaseOptions): Database {
  const { patienceMs = 10_000, connections = 16 } = options;
  const pool = new pg.Pool({
    connectionString: options.url,
    max: connections,
    types: parsers,
    keepAlive: true,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 30_000,
    query_timeout: 35_000,
    // A replica that sleeps inside a transaction holds the counter, and with it the writes of all others.
    idle_in_transaction_session_timeout: 5000,
    application_name: "reeve",
    // Statements are sent without waiting for the answer to the one before: a batch of the lane takes two round trips.
    pipeline: true,
  });
  /** Since when, for people, and on the clock that nobody can set. */
  let away: { readonly since: string; readonly at: number } | undefined;
  let closing = false;
  pool.on("connect", (client) => {
    // The pool's own ear is taken off in the moment in which a connection is handed over: dying just then must not end the process.
    client.on("error", () => {});
    // One by one: a database that does not know one of them still takes the others.
    for (const setting of sessionSettings) client.query(setting).catch(() => {});
  });
  // An idle connection that dies emits an error; the next query finds out by itself.
  pool.on("error", (error) => {
    if (!closing) options.onTrouble?.("idle connection lost", error);
  });

  async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + patienceMs;
    // Once it was away, what was sent then may have been carried out: nobody is told that nothing was changed.
    let wasAway = false;
    for (let tries = 1; ; tries++) {
      try {
        const result = await attempt();
        if (away !== undefined) recovered(away.at);
        return result;
      } catch (error) {
        const trouble = troubleOf(error);
        if (trouble === "final") throw error;
        wasAway ||= trouble === "away";
        if (trouble === "away") away ??= { since: new Date().toISOString(), at: performance.now() };
        options.onTrouble?.(trouble, error);
        const fault = wasAway ? awayFault : trouble === "short" ? shortFault : againFault;
        if (trouble === "short" || performance.now() >= deadline) throw fault(error);
        await sleep(trouble === "again" ? Math.random() * 5 * tries : Math.min(500, 20 * 2 ** tries));
      }
    }
  }

  function recovered(awayAt: number): void {
    away = undefined;
    options.onRecovery?.(performance.now() - awayAt);
  }

  /** A connection that was lost, as the body says or as it says itself, is not used again. */
  async function onClient<T>(
    body: (client: pg.PoolClient, lost: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const lost = (error: Error) => {
      broken ??= error;
    };
    client.on("error", lost);
    try {
      return await body(client, lost);
    } finally {
      client.off("error", lost);
      client.release(broken);
    }
  }

  const database: Database = {
    connections,
    get awaySince() {
      return away?.since;
    },
    query: (text, values) => patiently(() => run(pool, text, values)),
    transact(body) {
      const mark = newUid();
      let unknown: { result: unknown } | undefined;
      return patiently(() =>
        onClient(async (client, lost) => {
          let doubted = unknown;
          try {
            const begun = run(client, "begin");
            begun.catch(() => {});
            if (doubted !== undefined && (await run(client, insertMark, [mark])).length === 0) {
              await run(client, "rollback");
              return doubted.result as never;
            }
            const marked = doubted !== undefined;
            doubted = unknown = undefined;
            let last: Statement | undefined;
            const result = await body({
              atRest: database.atRest,
              query: (text, values) => run(client, text, values),
              last(text, values) {
                last = { text, values };
              },
            });
            unknown = { result };
            // If the last statement fails, the server is in a failed transaction and cannot commit what follows.
            const sent = [begun];
            if (last !== undefined) sent.push(run(client, last.text, last.values));
            if (!marked) sent.push(run(client, insertMark, [mark]));
            await Promise.all([...sent, run(client, "commit")]);
            return result;
          } catch (error) {
            if (troubleOf(error) === "away") lost(error as Error);
            else {
              // The server answered, so the fate of this transaction is known: it was not committed. Of one before it only its mark tells.
              unknown = doubted;
              await run(client, "rollback").catch(lost);
            }
            throw error;
          }
        }),
      );
    },
    atOnce: (statements) =>
      patiently(() =>
        onClient(async (client, lost) => {
          const all: Statement[] = [{ text: "begin" }, ...statements, { text: "commit" }];
          // One that fails makes the server answer the commit with a rollback.
          const answers = await Promise.allSettled(all.map(({ text, values }) => run(client, text, values)));
          const rows = answers.map((answer) => {
            if (answer.status === "fulfilled") return answer.value;
            if (troubleOf(answer.reason) === "away") lost(answer.reason as Error);
            throw answer.reason;
          });
          return rows.slice(1, -1);
        }),
      ),
    apart: (name) => connect(name === undefined ? options.url : withDatabase(options.url, name)),
    close() {
      closing = true;
      return pool.end();
    },
  };
  return database;
}

/**
 * Every transaction leaves a mark with its COMMIT. When the connection dies just then, the next try asks for the same mark
 * first: this blocks while the server is still deciding the lost transaction, and returns no row if it was committed.
 */
const insertMark = "insert into lane_mark (id) values ($1) on conflict (id) do nothing returning id";

/**
 * Every statement of ours finds its rows by an index, and lists in its order, and must do so also on a table that was filled a
 * moment ago and whose statistics still say that it is empty: measured, the update of a batch cost 770 instead of 310 µs by a
 * hash join over all resources, a page of 100,000 resources by label 60 instead of 7 ms by a sort. Plans are made once per statement, not per call. A database that does not know a setting goes without.
 */
const sessionSettings = [
  "set plan_cache_mode = force_generic_plan",
  "set enable_seqscan = off",
  "set enable_hashjoin = off",
  "set enable_mergejoin = off",
  "set enable_bitmapscan = off",
  "set jit = off",
  // CockroachDB refuses statements that modify a table in several of their parts, in case they touch a row twice, which none of ours does.
  "select set_config('enable_multiple_modifications_of_table', 'on', false) where version() like 'CockroachDB%'",
];

interface Runner {
  query(config: { name?: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

const statementNames = new Map<string, string>();
const statementsLimit = 500;

/**
 * Statements are prepared under a name of their own, so that the server parses and plans each only once. Selectors make
 * new texts, so the number of named ones is bounded.
 */
async function run<Row>(runner: Runner, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  if (values.length === 0) return (await runner.query({ text, values: [] })).rows as Row[];
  let name = statementNames.get(text);
  if (name === undefined && statementNames.size < statementsLimit) {
    name = `s${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return (await runner.query({ ...(name && { name }), text, values: values as unknown[] })).rows as Row[];
}
