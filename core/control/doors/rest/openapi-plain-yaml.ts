import type { Json, JsonObject } from "@reeve/model";

/**
 * Reads the plain YAML that kinds' examples are written in: maps, lists and scalars; no anchors, flows or blocks. This
 * room has no YAML package, and what is not plain is undefined here rather than read wrongly.
 */
export function readPlainYaml(text: string): JsonObject | undefined {
  if (text.includes("\t")) return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rest = lines.map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }));
  try {
    const map = readMap(rest, 0);
    return rest.length === 0 ? map : undefined;
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

class NotPlain extends Error {}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/** Takes the lines of one map away from `rest`. */
function readMap(rest: Line[], indent: number): JsonObject {
  const map: JsonObject = {};
  while (rest[0]?.indent === indent) {
    const [, key, value] = /^([\w./-]+):(?: +(.+))?$/.exec(rest[0].text) ?? [];
    if (key === undefined) throw new NotPlain();
    rest.shift();
    map[key] = value === undefined ? readBlock(rest, indent) : readScalar(value);
  }
  return map;
}

function readBlock(rest: Line[], outer: number): Json {
  const first = rest[0];
  if (first === undefined || first.indent <= outer) throw new NotPlain();
  return first.text.startsWith("- ") ? readList(rest, first.indent) : readMap(rest, first.indent);
}

function readList(rest: Line[], indent: number): Json[] {
  const list: Json[] = [];
  while (rest[0]?.indent === indent && rest[0].text.startsWith("- ")) {
    const text = rest[0].text.slice(2);
    if (!/^[\w./-]+:( |$)/.test(text)) {
      list.push(readScalar(text));
      rest.shift();
      continue;
    }
    rest[0] = { indent: indent + 2, text };
    list.push(readMap(rest, indent + 2));
  }
  return list;
}

function readScalar(text: string): Json {
  if (/^"([^"\\]|\\["\\nt])*"$/.test(text)) return JSON.parse(text) as string;
  if (text === "true" || text === "false") return text === "true";
  if (/^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return Number(text);
  if (/^[A-Za-z0-9/][^#]*$/.test(text) && !/: |:$/.test(text) && !meansMore.test(text)) return text;
  throw new NotPlain();
}

/** Bare words that YAML does not take for text, or not everywhere: Null, TRUE, 1e3, 007, 0x1f. */
const meansMore = /^(null|true|false|\d[\d._]*(e[+-]?\d+)?|0[xo][\da-f]+)$/i;
