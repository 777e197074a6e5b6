/**
 * A value as it is stored: closed by a key of its own (`data`), which the scope key named by `key` closes (`wrapped`). A rotation
 * renews `key` and `wrapped` only.
 */
export type Sealed = {
  readonly key: string;
  readonly wrapped: string;
  readonly nonce: string;
  readonly data: string;
};

/**
 * A jsonb column that holds sealed values, or null. Rotations find its values by `column ->> 'key'`: give that an index. Names
 * are ours, never a caller's.
 */
export interface SealedColumn {
  readonly table: string;
  /** The columns of the table's primary key, as in `secret, version`. */
  readonly key: string;
  readonly column: string;
}
