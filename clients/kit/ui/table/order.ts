export interface Ordering {
  readonly key: string;
  readonly way: "up" | "down";
}

interface Ordered<Row> {
  readonly key: string;
  readonly by?: (row: Row) => string | number | undefined;
}

/** The rows by a column, `name` or `-name`; what has no value comes last either way. Words that hold numbers count by them: b2 before b10. */
export function ordered<Row>(
  rows: readonly Row[],
  columns: readonly Ordered<Row>[],
  order: string | undefined,
): readonly Row[] {
  const { key, way } = readOrder(order);
  const by = columns.find((column) => column.key === key)?.by;
  if (by === undefined) return rows;
  const sign = way === "up" ? 1 : -1;
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return (
      sign * (typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b)))
    );
  });
}

const words = new Intl.Collator("en", { numeric: true });

function readOrder(order = ""): Ordering {
  return order.startsWith("-") ? { key: order.slice(1), way: "down" } : { key: order, way: "up" };
}

/** What a click on a heading asks for. */
export function toggled(key: string, order: string | undefined): string {
  return order === key ? `-${key}` : key;
}
