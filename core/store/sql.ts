import type { AtRest } from "./at-rest/at-rest.ts";

/** Whatever can run a query. Store functions take one first, so a caller's transaction is never lost. */
export interface Sql {
  /** Seals and opens what organizations keep sealed; there once the keys are open. */
  readonly atRest?: AtRest | undefined;
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

/** A time as the API tells it, from one as Postgres writes it. Every row has some: a `Date` would take ten times as long. */
export function plainTime(text: string): string {
  const [, day, time, fraction = ""] = inUtc.exec(text) ?? [];
  if (day === undefined) return new Date(text).toISOString();
  return `${day}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}

const inUtc = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?\+00(?::00)?$/;
