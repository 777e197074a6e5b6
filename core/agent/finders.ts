import { createHash } from "node:crypto";
import { type Finder, finderOf, hideFound } from "@reeve/model/hidden-text";

/** Not the secrets themselves are the keys: what has ended leaves none of them here. */
const finders = new Map<string, WeakRef<Finder>>();

/** A hundred steps may use the same bundle of certificates: its finder is made once, and goes with the last of them. */
export function sharedFinder(hide: readonly string[]): Finder {
  const key = createHash("sha256").update(JSON.stringify(hide)).digest("base64");
  const known = finders.get(key)?.deref();
  if (known !== undefined) return known;
  for (const [old, finder] of finders) if (finder.deref() === undefined) finders.delete(old);
  const finder = finderOf(hide);
  finders.set(key, new WeakRef(finder));
  return finder;
}

/** Why an attempt ended, without its secrets. Most have none, and end by the thousand. */
export function hideShared(text: string, hide: readonly string[]): string {
  return hide.length === 0 ? text : hideFound(text, sharedFinder(hide));
}
