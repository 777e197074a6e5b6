import { displayWidth, printable, truncate } from "./width.ts";

const gap = 2;
const narrowest = 8;

/**
 * Lines of a table. With a width it never wraps: the widest column gives way first, and the first column, which names
 * the row, last of all.
 */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  width = Number.POSITIVE_INFINITY,
): string[] {
  const lines = [titles.map((title) => title.toUpperCase()), ...rows.map((row) => row.map(printable))];
  return layLines(lines, columnWidths(lines, width));
}

/** The widths of the columns, narrowed until a line fits. */
export function columnWidths(lines: readonly (readonly string[])[], width: number): number[] {
  const count = Math.max(0, ...lines.map((line) => line.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(0, ...lines.map((line) => displayWidth(line[column] ?? ""))),
  );
  const total = () => widths.reduce((sum, one) => sum + one, 0) + gap * (count - 1);
  while (total() > width) {
    const column = widestOf(widths, 1) ?? widestOf(widths, 0);
    if (column === undefined) return widths;
    widths[column] = Math.max(narrowest, (widths[column] ?? 0) - (total() - width));
  }
  return widths;
}

/** The last of the widest columns that can still give way. */
function widestOf(widths: readonly number[], from: number): number | undefined {
  const most = Math.max(0, ...widths.slice(from));
  return most > narrowest ? widths.lastIndexOf(most) : undefined;
}

export function layLines(lines: readonly (readonly string[])[], widths: readonly number[]): string[] {
  return lines.map((line) =>
    widths
      .map((width, column) => {
        const cell = truncate(line[column] ?? "", width);
        return cell + " ".repeat(Math.max(0, width - displayWidth(cell)) + gap);
      })
      .join("")
      .trimEnd(),
  );
}
