/** Whatever can run a query. Store functions take one first, so a caller's transaction is never lost. */
export interface Sql {
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}
