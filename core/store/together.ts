import pg from "pg";
import utils from "pg/lib/utils.js";
import { run, statementName } from "./statements.ts";

type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

interface Waiting {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Asks the statements of a transaction: those that are asked without waiting for each other travel together, and run in their
 * order. If one of them fails, none after it is carried out, and all fail with its error.
 */
export function together(client: pg.PoolClient): Query {
  let waiting: Waiting[] = [];
  function send(): void {
    const all = waiting;
    waiting = [];
    try {
      const train = trainOf(client, all);
      if (train !== undefined) client.query(train);
      // What this connection hears for the first time travels alone, so that its preparation is noted.
      else
        for (const { text, values, resolve, reject } of all) run(client, text, values).then(resolve, reject);
    } catch (error) {
      // A value that cannot be sent.
      for (const { reject } of all) reject(error);
    }
  }
  return <Row>(text: string, values: readonly unknown[] = []) =>
    new Promise<Row[]>((resolve, reject) => {
      const one = { text, values, resolve: resolve as Waiting["resolve"], reject };
      if (waiting.push(one) === 1) queueMicrotask(send);
    });
}

function trainOf(client: pg.PoolClient, all: readonly Waiting[]): Train | undefined {
  if (all.length === 1) return undefined;
  const { parsedStatements } = (client as unknown as { connection: Wire }).connection;
  const carriages: Carriage[] = [];
  for (const { text, values } of all) {
    const name = statementName(text, values);
    if (name === undefined || parsedStatements[name] !== text) return undefined;
    carriages.push({ name, values: values.map(utils.prepareValue) });
  }
  return new Train(carriages, (error, results) => {
    for (const [index, { resolve, reject }] of all.entries())
      if (error) reject(error);
      else resolve(results[index]?.rows ?? []);
  });
}

/** A prepared statement, and its values as they are sent. */
interface Carriage {
  readonly name: string;
  readonly values: readonly (string | Buffer | null)[];
}

/**
 * Statements in one message, which the server answers once: one by one, each is a write, an answer, and a wake-up of either side
 * (measured: an eighth of what an apply costs us).
 */
class Train extends pg.Query {
  constructor(carriages: readonly Carriage[], done: (error: unknown, results: pg.QueryResult[]) => void) {
    super({ text: "" }, (error, results) => done(error, results as unknown as pg.QueryResult[]));
    this.submit = (connection) => depart(connection as unknown as Wire, carriages);
  }
}

/** The part of the driver's connection that its own queries use. */
interface Wire {
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly stream: { cork(): void; uncork(): void };
  bind(what: { portal: string; statement: string; values: Carriage["values"] }): void;
  describe(what: { type: "P"; name: string }): void;
  execute(what: { portal: string }): void;
  sync(): void;
}

function depart(wire: Wire, carriages: readonly Carriage[]): null {
  const portal = "";
  wire.stream.cork();
  for (const { name, values } of carriages) {
    wire.bind({ portal, statement: name, values });
    wire.describe({ type: "P", name: portal });
    wire.execute({ portal });
  }
  wire.sync();
  wire.stream.uncork();
  return null;
}
