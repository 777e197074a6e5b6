import { Skeleton, Table, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useRef } from "react";
import { PageLink, useGo } from "../link.tsx";
import type { LiveList } from "../live/use-list.ts";
import classes from "./data-table.module.css";
import { FaultView } from "./fault-view.tsx";
import { type Sorting, type SortValue, useSorting } from "./sorting.ts";
import { StaleNote } from "./stale-note.tsx";

export interface Column<R> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: R) => ReactNode;
  /** What rows are ordered by; without it the column cannot be sorted. */
  readonly sort?: (row: R) => SortValue;
  /** Left out on small screens. */
  readonly wide?: boolean;
  readonly align?: "right";
}

interface Props<R> {
  /** What the rows are, for those who cannot see them: "Workflows". */
  readonly label: string;
  readonly list: LiveList<R>;
  readonly columns: readonly Column<R>[];
  readonly rowKey: (row: R) => string;
  /** The page of a row; its first cell is the link. */
  readonly to?: (row: R) => string;
  /** Shown when there is nothing. */
  readonly empty: ReactNode;
}

const virtualFrom = 200;
const rowHeight = 37;

/** A live list. It sorts by its columns, moves by the arrow keys, and draws only what is in view when it is long. */
export function DataTable<R>({ label, list, columns, rowKey, to, empty }: Props<R>) {
  const sorting = useSorting(list.rows, columns);
  if (list.state === "fault" && list.fault) return <FaultView fault={list.fault} />;
  if (list.state === "loading") return <LoadingRows />;
  if (list.rows.length === 0) return <>{empty}</>;
  return (
    <>
      <StaleNote list={list} />
      <Table.ScrollContainer minWidth={320} type="native" className={classes.frame}>
        <Table className={classes.table} aria-label={label} aria-rowcount={list.rows.length}>
          <Head columns={columns} sorting={sorting} />
          <Body columns={columns} rows={sorting.rows} rowKey={rowKey} to={to} />
        </Table>
      </Table.ScrollContainer>
    </>
  );
}

function Head<R>({
  columns,
  sorting,
}: {
  readonly columns: readonly Column<R>[];
  readonly sorting: Sorting<R>;
}) {
  return (
    <Table.Thead>
      <Table.Tr>
        {columns.map(({ key, title, sort, wide, align }) => {
          const active = sorting.key === key;
          const Arrow = sorting.down ? IconArrowDown : IconArrowUp;
          return (
            <Table.Th
              key={key}
              className={wide ? classes.wide : undefined}
              ta={align}
              aria-sort={active ? (sorting.down ? "descending" : "ascending") : undefined}
            >
              {sort === undefined ? (
                title
              ) : (
                <UnstyledButton className={classes.sort} onClick={() => sorting.toggle(key)}>
                  {title} {active && <Arrow size={13} aria-hidden />}
                </UnstyledButton>
              )}
            </Table.Th>
          );
        })}
      </Table.Tr>
    </Table.Thead>
  );
}

type BodyProps<R> = Pick<Props<R>, "columns" | "rowKey"> & {
  readonly rows: readonly R[];
  readonly to: Props<R>["to"] | undefined;
};

function Body<R>(props: BodyProps<R>) {
  return props.rows.length > virtualFrom ? <LongBody {...props} /> : <ShortBody {...props} />;
}

function ShortBody<R>({ rows, rowKey, columns, to }: BodyProps<R>) {
  return (
    <Table.Tbody onKeyDown={(event) => moveFocus(event)}>
      {rows.map((row, at) => (
        <Row key={rowKey(row)} row={row} at={at} columns={columns} address={to?.(row)} />
      ))}
    </Table.Tbody>
  );
}

function LongBody<R>({ rows, rowKey, columns, to }: BodyProps<R>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (at) => rowKey(rows[at] as R),
  });
  const items = virtualizer.getVirtualItems();
  const margin = virtualizer.options.scrollMargin;
  const before = (items[0]?.start ?? margin) - margin;
  const after = virtualizer.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin);
  return (
    <Table.Tbody ref={body} onKeyDown={(event) => moveFocus(event, virtualizer)}>
      <Gap height={before} span={columns.length} />
      {items.map(({ index, key }) => {
        const row = rows[index] as R;
        return <Row key={key} row={row} at={index} columns={columns} address={to?.(row)} />;
      })}
      <Gap height={after} span={columns.length} />
    </Table.Tbody>
  );
}

/** Stands for the rows that are out of view. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null;
  return (
    <tr aria-hidden className={classes.gap}>
      <td colSpan={span} style={{ height }} />
    </tr>
  );
}

interface RowProps<R> {
  readonly row: R;
  readonly at: number;
  readonly columns: readonly Column<R>[];
  readonly address: string | undefined;
}

/** Drawn again only when it has changed: many rows stay while one changes, or while the page is scrolled. */
const Row = memo(RowOnce) as typeof RowOnce;

function RowOnce<R>({ row, at, columns, address }: RowProps<R>) {
  const go = useGo();
  // Plain elements: those of the library cost more than all that is in them.
  return (
    <tr
      aria-rowindex={at + 1}
      data-row={at}
      className={address === undefined ? undefined : classes.link}
      onClick={(event) => {
        const inner = (event.target as Element).closest("a, button, input, label");
        const selecting = globalThis.getSelection()?.type === "Range";
        if (address !== undefined && inner === null && !selecting) go(address);
      }}
    >
      {columns.map(({ key, cell, wide, align }, column) => (
        <td key={key} className={wide ? classes.wide : undefined} style={{ textAlign: align }}>
          {column === 0 && address !== undefined ? (
            <PageLink to={address} className={classes.name}>
              {cell(row)}
            </PageLink>
          ) : (
            cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

/** The arrow keys, or j and k, go from row to row. */
function moveFocus(event: KeyboardEvent<HTMLElement>, virtualizer?: Virtualizer<Window, Element>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  const target = event.target as HTMLElement;
  const row = target.closest<HTMLElement>("[data-row]");
  if (step === undefined || row === null || target.matches("input, textarea, select")) return;
  event.preventDefault();
  const next = Number(row.dataset.row) + step;
  const body = event.currentTarget;
  const focus = () => body.querySelector<HTMLElement>(`[data-row="${next}"] a`)?.focus();
  virtualizer?.scrollToIndex(next);
  if (virtualizer === undefined) focus();
  else requestAnimationFrame(() => requestAnimationFrame(focus));
}

function LoadingRows() {
  return (
    <div role="status" aria-busy aria-label="Loading">
      {[90, 70, 80, 60].map((width) => (
        <Skeleton key={width} height={14} my={14} width={`${width}%`} />
      ))}
    </div>
  );
}
