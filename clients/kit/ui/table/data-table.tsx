import { Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Ordering, ordered, toggled } from "./order.ts";
import classes from "./table.module.css";

export interface TableColumn<Row> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  /** What it is ordered by; without it, it cannot be. */
  readonly by?: (row: Row) => string | number | undefined;
  /** Numbers stand at the right. */
  readonly right?: boolean;
}

interface Props<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** As in `?order=name` or `?order=-age`; without it the rows stay as they come. */
  readonly order?: string | undefined;
  readonly onOrder?: (order: string) => void;
}

const rowHeight = 34;
/** So many rows are drawn whole, which lets the browser's own search find them all. */
const drawnWhole = 200;

/** A table of any number of rows: of a long one only what is in sight is drawn. */
export function DataTable<Row>({ label, columns, rows, rowKey, order, onOrder }: Props<Row>) {
  const inOrder = useMemo(() => ordered(rows, columns, order), [rows, columns, order]);
  const { body, first, last, above, below } = useSight(inOrder.length);
  return (
    <Table.ScrollContainer minWidth={Math.max(320, columns.length * 96)} type="native">
      <Table aria-label={label} aria-rowcount={rows.length} className={classes.table} verticalSpacing={0}>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          <Spacer height={above} columns={columns.length} />
          {inOrder.slice(first, last).map((row) => (
            <Table.Tr key={rowKey(row)} className={classes.row}>
              {columns.map((column) => (
                <Table.Td key={column.key} data-right={column.right || undefined}>
                  {column.cell(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          <Spacer height={below} columns={columns.length} />
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** Which rows are in sight, and how much room the others take. */
function useSight(count: number) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current ? body.current.getBoundingClientRect().top + scrollY : 0), []);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: 20,
    scrollMargin: top,
    enabled: count > drawnWhole,
  });
  if (count <= drawnWhole) return { body, first: 0, last: count, above: 0, below: 0 };
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = (items.at(-1)?.index ?? -1) + 1;
  return { body, first, last, above: first * rowHeight, below: (count - last) * rowHeight };
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  if (height === 0) return null;
  return (
    <Table.Tr aria-hidden>
      <Table.Td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </Table.Tr>
  );
}

interface HeadingProps<Row> {
  readonly column: TableColumn<Row>;
  readonly order: string | undefined;
  readonly onOrder: ((order: string) => void) | undefined;
}

const sorts: Readonly<Record<Ordering["way"], "ascending" | "descending">> = {
  up: "ascending",
  down: "descending",
};

function Heading<Row>({ column, order, onOrder }: HeadingProps<Row>) {
  const way = order === column.key ? "up" : order === `-${column.key}` ? "down" : undefined;
  if (column.by === undefined || onOrder === undefined)
    return <Table.Th data-right={column.right || undefined}>{column.title}</Table.Th>;
  return (
    <Table.Th aria-sort={way && sorts[way]} data-right={column.right || undefined}>
      <UnstyledButton className={classes.heading} onClick={() => onOrder(toggled(column.key, order))}>
        {column.title}
        {way === "up" && <IconArrowUp size={12} aria-hidden />}
        {way === "down" && <IconArrowDown size={12} aria-hidden />}
      </UnstyledButton>
    </Table.Th>
  );
}
