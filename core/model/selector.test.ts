import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "./fault.ts";
import { matches, parseFieldSelector, parseLabelSelector, type Term } from "./selector.ts";

const keys = ["a", "b", "x.y/z", "in", "constructor"];
const words = ["", "1", "2", "v-1"];
const labels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...words), { maxKeys: 4 });
const key = fc.constantFrom(...keys);
const word = fc.constantFrom(...words);
const space = fc.constantFrom("", " ", "  ");
const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({
    key,
    test: fc.constantFrom("in" as const, "not_in" as const),
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ key, test: fc.constantFrom("exists" as const, "missing" as const) }),
);

/** A term as a person might write it. */
function written(one: Term, gap: string): string {
  if (one.test === "exists") return one.key;
  if (one.test === "missing") return `!${gap}${one.key}`;
  if (one.values.length === 1)
    return `${one.key}${gap}${one.test === "in" ? "=" : "!="}${gap}${one.values[0]}`;
  return `${one.key} ${one.test === "in" ? "in" : "notin"}${gap}(${one.values.join(`${gap},${gap}`)})`;
}

test("what is written is read as what was meant, whatever the spaces", () => {
  fc.assert(
    fc.property(fc.array(term, { maxLength: 4 }), space, (terms, gap) => {
      expect(parseLabelSelector(terms.map((one) => written(one, gap)).join(`${gap},${gap}`))).toEqual(terms);
    }),
  );
});

test("terms mean what their words say, and a comma means and", () => {
  fc.assert(
    fc.property(labels, fc.array(term, { maxLength: 4 }), (found, terms) => {
      expect(matches(terms, found)).toBe(terms.every((one) => matches([one], found)));
    }),
  );
  fc.assert(
    fc.property(
      labels,
      key,
      word,
      fc.array(word, { minLength: 1, maxLength: 3 }),
      (found, name, value, list) => {
        const held = Object.hasOwn(found, name) ? found[name] : undefined;
        const says = (text: string) => matches(parseLabelSelector(text), found);
        expect(says(`${name}=${value}`)).toBe(held === value);
        expect(says(`${name}==${value}`)).toBe(held === value);
        expect(says(`${name}!=${value}`)).toBe(held !== value);
        expect(says(name)).toBe(held !== undefined);
        expect(says(`!${name}`)).toBe(held === undefined);
        expect(says(`${name} in (${list.join(",")})`)).toBe(held !== undefined && list.includes(held));
        expect(says(`${name} notin (${list.join(",")})`)).toBe(held === undefined || !list.includes(held));
      },
    ),
  );
});

test("an empty selector selects everything", () => {
  fc.assert(
    fc.property(
      labels,
      (found) => matches(parseLabelSelector(""), found) && matches(parseLabelSelector("  "), found),
    ),
  );
});

test("any text is read or refused, never anything else, and quickly", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 40, unit: "binary" }),
    fc
      .array(fc.constantFrom("a", "=", "!", "!=", "==", " ", ",", "(", ")", "in", "notin", "\t", "\n"), {
        maxLength: 20,
      })
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (one) => {
      try {
        parseLabelSelector(one);
      } catch (error) {
        expect(error).toBeInstanceOf(Fault);
        expect((error as Fault).kind).toBe("invalid");
        expect((error as Fault).next).toBeTruthy();
      }
    }),
    { numRuns: 500 },
  );
  // Of the processor's time: on a busy machine much more passes.
  const before = process.cpuUsage();
  for (const hostile of [
    " ".repeat(4096),
    "a ".repeat(2048),
    "(".repeat(4096),
    ",(".repeat(2048),
    `a in (${"b,".repeat(2000)}`,
    `a${" ".repeat(4000)}b`,
  ])
    expect(() => {
      try {
        parseLabelSelector(hostile);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
      }
    }).not.toThrow();
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test.each([
  "a=b=c",
  "=a",
  "!",
  "a b",
  "a,",
  ",a",
  "a,,b",
  "a in b",
  "a in (b",
  "a in (b))",
  "a notin",
  "a!b",
  "(a)",
  "a=(b)",
  "x".repeat(4097),
])("%s is no selector", (text) => {
  expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ kind: "invalid" }));
});

test("a field selector takes the fields that are declared and no other", () => {
  expect(parseFieldSelector("spec.role=owner,metadata.name!=x,metadata.scope", ["spec.role"])).toHaveLength(
    3,
  );
  for (const text of ["spec.secret=1", "metadata.uid=1", "spec", "__proto__=1", "spec.role.x=1"])
    expect(() => parseFieldSelector(text, ["spec.role"])).toThrow("cannot select by");
});
