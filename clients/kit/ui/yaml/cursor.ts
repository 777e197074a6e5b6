/** Where a cursor stands in a YAML text that may be half written: read from its lines alone, because no parser likes such a text. */
export interface Cursor {
  /** The object or list around it; a number is an item of a list. */
  readonly path: readonly (string | number)[];
  /** A key is being written, or the value of one. */
  readonly writes: "key" | "value";
  /** Where the word begins that is being written, in characters from the start. */
  readonly from: number;
  /** The column of the keys around it. */
  readonly column: number;
  /** What stands beside it: keys with the rest of their lines. */
  readonly beside: ReadonlyMap<string, string>;
}

interface Line {
  /** The columns of the dashes before the key. */
  readonly dashes: readonly number[];
  readonly column: number;
  readonly key: string | undefined;
  readonly rest: string;
  readonly empty: boolean;
}

export function cursorAt(text: string, offset: number): Cursor | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const above = text.slice(0, start).split("\n").slice(0, -1).map(readLine);
  const here = readLine(text.slice(start, offset));
  const written = text.slice(start, offset).trimStart();
  if (written.startsWith("#") || isInBlock(above, here)) return undefined;
  const below = text.slice(offset).split("\n").slice(1).map(readLine);
  const path = pathOf(above, here);
  const beside = besideOf(above, below, here);
  if (here.key !== undefined) {
    if (!/\s/.test(text.slice(start + here.column + here.key.length + 1, offset))) return undefined;
    return {
      path: [...path, here.key],
      writes: "value",
      from: offset - here.rest.length,
      column: here.column,
      beside,
    };
  }
  if (!/^[\w./-]*$/.test(here.rest)) return undefined;
  return { path, writes: "key", from: offset - here.rest.length, column: here.column, beside };
}

function readLine(text: string): Line {
  const [lead = ""] = /^ *(?:- +|-$)*/.exec(text) ?? [];
  const dashes = [...lead.matchAll(/-/g)].map((match) => match.index);
  const rest = text.slice(lead.length);
  const found = /^(?:"([^"]*)"|'([^']*)'|([^\s#:"'{[&*!|>%@`][^#:]*?))\s*:(?:\s+(.*))?$/.exec(rest);
  const key = found?.[1] ?? found?.[2] ?? found?.[3];
  const empty = rest.trim() === "" && dashes.length === 0;
  return {
    dashes,
    column: lead.endsWith("-") ? lead.length + 1 : lead.length,
    key,
    rest: key === undefined ? rest : (found?.[4] ?? ""),
    empty: empty || rest.startsWith("#") || rest.startsWith("---"),
  };
}

const opensBlock = /^[|>][-+0-9]*\s*(#.*)?$/;

/** Inside of `run: |` there are words, not YAML. */
function isInBlock(above: readonly Line[], here: Line): boolean {
  let column = here.empty ? Number.POSITIVE_INFINITY : (here.dashes[0] ?? here.column);
  if (here.empty) column = here.column;
  for (const line of above.toReversed()) {
    if (line.empty) continue;
    const own = line.dashes[0] ?? line.column;
    if (own >= column) continue;
    if (opensBlock.test(line.rest)) return true;
    column = own;
  }
  return false;
}

function pathOf(above: readonly Line[], here: Line): (string | number)[] {
  const path: (string | number)[] = [];
  /** The column of the mapping, or of the dashes, whose parent is looked for. */
  let column = here.column;
  let inList = false;
  const intoLists = (line: Line) => {
    for (const dash of line.dashes.toReversed()) {
      path.unshift(0);
      column = dash;
      inList = true;
    }
  };
  intoLists(here);
  for (const line of above.toReversed()) {
    if (line.empty) continue;
    if (!inList && line.column === column && line.dashes.length > 0) intoLists(line);
    else if (
      line.key !== undefined &&
      line.rest === "" &&
      (line.column < column || (inList && line.column === column))
    ) {
      path.unshift(line.key);
      column = line.column;
      inList = false;
      intoLists(line);
    }
  }
  return path;
}

/** The keys of the same mapping, above and below. */
function besideOf(above: readonly Line[], below: readonly Line[], here: Line): Map<string, string> {
  const found = new Map<string, string>();
  const gather = (lines: readonly Line[], dashEnds: "before" | "after") => {
    for (const line of lines) {
      if (line.empty) continue;
      const begins = line.dashes.length > 0 && line.column === here.column;
      if (line.column < here.column || ((line.dashes[0] ?? line.column) < here.column && !begins)) return;
      if (begins && dashEnds === "before") return;
      if (line.column === here.column && line.key !== undefined) found.set(line.key, line.rest);
      if (begins) return;
    }
  };
  if (here.dashes.length === 0) gather(above.toReversed(), "after");
  gather(below, "before");
  return found;
}
