import type { Document } from "yaml";

/** Enough for honest anchors; an alias bomb needs thousands. */
const limitAliases = 100;

/** What a document says; throws when that has no end: too many aliases, too deep a nesting, or an alias within what it repeats. */
export function contentOf(document: Document.Parsed): unknown {
  const content: unknown = document.toJS({ maxAliasCount: limitAliases });
  if (holdsItself(content, new Set(), new Set())) throw new Error("an alias stands within what it repeats");
  return content;
}

function holdsItself(value: unknown, around: Set<unknown>, seen: Set<unknown>): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (around.has(value)) return true;
  if (seen.has(value)) return false;
  seen.add(value);
  around.add(value);
  const found = Object.values(value).some((one) => holdsItself(one, around, seen));
  around.delete(value);
  return found;
}
