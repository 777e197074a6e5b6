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
  const place = placeIn(document, pointer);
  if (place === undefined) return undefined;
  const { line, col } = counter.linePos(place.from);
  return line === 0 ? undefined : { line, column: col };
}

/** The same in characters from the start of the text. */
export function placeIn(
  document: Document.Parsed,
  pointer: string,
): { from: number; to: number } | undefined {
  let node: unknown = document.contents;
  let place = rangeOf(node);
  for (const part of pointerParts(pointer)) {
    const step = stepInto(resolved(node, document), part);
    if (step === undefined) break;
    place = step.place ?? place;
    node = step.value;
  }
  return place;
}

interface Step {
  readonly value: unknown;
  readonly place: { from: number; to: number } | undefined;
}

function stepInto(node: unknown, part: string): Step | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => String(isScalar(key) ? key.value : key) === part);
    return pair && { value: pair.value, place: rangeOf(pair.key) };
  }
  if (!isSeq(node) || !/^\d+$/.test(part)) return undefined;
  const item = node.items[Number(part)];
  return item === undefined ? undefined : { value: item, place: rangeOf(item) };
}

function resolved(node: unknown, document: Document.Parsed): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function rangeOf(node: unknown): { from: number; to: number } | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? { from: range[0], to: range[1] } : undefined;
}

function pointerParts(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
