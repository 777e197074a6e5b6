/** Whatever can run a query. Store functions take one first, so a caller's transaction is never lost. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Statement {
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** A query within a transaction. Queries that are not awaited one by one travel together, and run in their order. */
export interface Transaction extends Sql {
  /** The last statement, sent along with COMMIT: it saves a round trip, and its rows are not read. */
  last(text: string, values: readonly unknown[]): void;
}

/** A time as the API tells it, from one as Postgres writes it. */
export function plainTime(text: string): string {
  return new Date(text).toISOString();
}
