import { useMemo } from "react";
import { useQuery } from "../address.ts";

export type SortValue = string | number | undefined;

export interface Sorting<R> {
  readonly rows: readonly R[];
  readonly key: string | undefined;
  readonly down: boolean;
  toggle(key: string): void;
}

interface Sortable<R> {
  readonly key: string;
  readonly sort?: (row: R) => SortValue;
}

/** The rows in the order that the address names: `?sort=age`, or `?sort=-age` for the other way round. */
export function useSorting<R>(rows: readonly R[], columns: readonly Sortable<R>[]): Sorting<R> {
  const [{ sort: word = "" }, patch] = useQuery();
  const down = word.startsWith("-");
  const key = down ? word.slice(1) : word;
  const value = columns.find((column) => column.key === key)?.sort;
  const sorted = useMemo(
    () => (value === undefined ? rows : sortRows(rows, value, down)),
    [rows, value, down],
  );
  return {
    rows: sorted,
    key: value === undefined ? undefined : key,
    down,
    toggle: (next) => patch({ sort: next !== key ? next : down ? undefined : `-${next}` }),
  };
}

/** What has no value comes last, whichever way round. */
export function sortRows<R>(rows: readonly R[], value: (row: R) => SortValue, down: boolean): R[] {
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  const way = down ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === undefined || b.key === undefined)
      return Number(a.key === undefined) - Number(b.key === undefined);
    if (typeof a.key === "number" && typeof b.key === "number") return way * (a.key - b.key);
    return way * collator.compare(String(a.key), String(b.key));
  });
  return keyed.map(({ row }) => row);
}

const collator = new Intl.Collator(undefined, { numeric: true });
