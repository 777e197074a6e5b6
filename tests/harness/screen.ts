/** What a terminal of so many rows shows of what was written to it, with what has scrolled away above: enough of one for the command line. */
export function screenOf(written: string, rows: number): string[] {
  const lines = [""];
  let [row, column, top] = [0, 0, 0];
  for (const [piece, up] of written.matchAll(pieces)) {
    if (up !== undefined) row = Math.max(top, row - Number(up));
    else if (piece === "\r") column = 0;
    else if (piece === "\n") {
      row++;
      lines[row] ??= "";
      top = Math.max(top, row - rows + 1);
    } else if (piece === "\u001b[J") {
      lines[row] = (lines[row] ?? "").slice(0, column);
      lines.length = row + 1;
    } else if (!piece.startsWith("\u001b")) {
      const line = lines[row] ?? "";
      lines[row] = line.slice(0, column).padEnd(column) + piece + line.slice(column + piece.length);
      column += piece.length;
    }
  }
  return lines;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
const pieces = /\u001b\[(\d+)A|\u001b\[[\d;?]*[a-zA-Z]|\r|\n|[^\u001b\r\n]+/g;
