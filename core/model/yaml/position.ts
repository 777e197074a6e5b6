import { type Document, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node } from "yaml";

export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Where in the text a JSON pointer leads: the key of the field, or the item of a list. What is not there (a missing
 * field) is found at the nearest place above it that is.
 */
export function positionOf(
  document: Document.Parsed,
  counter: LineCounter,
  pointer: string,
): Position | undefined {
  let node: unknown = document.contents;
  let offset = startOf(node);
  for (const part of pointerParts(pointer)) {
    const step = stepInto(resolved(node, document), part);
    if (step === undefined) break;
    offset = step.offset ?? offset;
    node = step.value;
  }
  if (offset === undefined) return undefined;
  const { line, col } = counter.linePos(offset);
  return line === 0 ? undefined : { line, column: col };
}

function stepInto(node: unknown, part: string): { value: unknown; offset: number | undefined } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part);
    return pair && { value: pair.value, offset: startOf(pair.key) };
  }
  if (!isSeq(node) || !/^\d+$/.test(part)) return undefined;
  const item = node.items[Number(part)];
  return item === undefined ? undefined : { value: item, offset: startOf(item) };
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}

function pointerParts(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
