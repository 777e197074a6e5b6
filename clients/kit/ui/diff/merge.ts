import { type Change, diff, type Json, patched, sameJson } from "@reeve/model";

/** A place that both have changed, each in another way. */
export interface Clash {
  readonly pointer: string;
  readonly base?: Json;
  readonly mine?: Json;
  readonly theirs?: Json;
}

export interface Merge {
  /** What somebody else changed meanwhile. */
  readonly theirs: readonly Change[];
  readonly clashes: readonly Clash[];
  /** Both together; where they clash, mine. */
  readonly merged: Json | undefined;
}

/** Brings my changes onto what somebody else has written since we both read the same. */
export function merge(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): Merge {
  const [ours, others] = [diff(base, mine), diff(base, theirs)];
  const clashes = ours.flatMap((own) => {
    const met = others.filter((other) => touches(own.pointer, other.pointer));
    if (met.length === 0 || met.some((other) => isSame(own, other))) return [];
    return [clashAt(own.pointer, { base, mine, theirs })];
  });
  return { theirs: others, clashes, merged: patched(theirs, ours) };
}

/** Whether one place is the other, or lies within it. */
function touches(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function isSame(own: Change, other: Change): boolean {
  return own.pointer === other.pointer && sameJson(own.after, other.after);
}

function clashAt(
  pointer: string,
  sides: { base: Json | undefined; mine: Json | undefined; theirs: Json | undefined },
): Clash {
  const seen = Object.entries(sides).flatMap(([side, value]) => {
    const found = at(value, pointer);
    return found === undefined ? [] : [[side, found]];
  });
  return { pointer, ...Object.fromEntries(seen) };
}

function at(value: Json | undefined, pointer: string): Json | undefined {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<Json | undefined>(
      (node, part) =>
        typeof node === "object" && node !== null && Object.hasOwn(node, part)
          ? (node as { [key: string]: Json })[part]
          : undefined,
      value,
    );
}
