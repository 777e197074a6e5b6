import fc from "fast-check";
import type { Json } from "./resource.ts";

const key = fc.oneof(
  fc.constantFrom("a", "b", "spec", "", "~", "~1", "a/b", "__proto__", "constructor", "0"),
  fc.string({ maxLength: 4 }),
);
const leaf = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -0, 1, "", "a", "0"),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ maxLength: 5 }),
);

/** JSON as a request may hold it, own keys called like inherited ones included. */
export const { value: anyJson } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    objectOf(tie("value")),
  ),
}));

export const anyObject = objectOf(anyJson) as fc.Arbitrary<{ [key: string]: Json }>;

/** Two values of which the second is the first with something changed: independent ones would share nothing. */
export const related: fc.Arbitrary<[Json, Json]> = fc.oneof(
  fc.tuple(anyJson, anyJson),
  fc
    .tuple(anyObject, anyObject)
    .map(([a, b]): [Json, Json] => [a, fromEntries([...Object.entries(a).slice(1), ...Object.entries(b)])]),
  fc.tuple(anyObject, anyObject, key).map(([a, b, name]): [Json, Json] => [
    fromEntries([
      ["same", 1],
      [name, a],
    ]),
    fromEntries([
      [name, b],
      ["same", 1],
    ]),
  ]),
);

function objectOf(value: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.array(fc.tuple(key, value), { maxLength: 4 }).map(fromEntries);
}

/** Defines own properties, so that __proto__ is one too. */
function fromEntries(entries: [string, Json][]): Json {
  return Object.fromEntries(entries);
}
