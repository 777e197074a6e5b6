import { matches, parseLabelSelector } from "@reeve/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { openLane } from "./lane.ts";
import { listResources } from "./resources.ts";
import { testDatabase } from "./testing.ts";
import { author, thing, thingRegistry } from "./testing-kinds.ts";

const keys = ["a", "b", "x/y"];
const someLabels = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom("", "1", "2", "v"), {
  maxKeys: 3,
});
const someTerm = fc.oneof(
  fc
    .record({ key: fc.constantFrom(...keys), value: fc.constantFrom("", "1", "2") })
    .map(({ key, value }) => `${key}=${value}`),
  fc
    .record({ key: fc.constantFrom(...keys), value: fc.constantFrom("1", "2") })
    .map(({ key, value }) => `${key}!=${value}`),
  fc.constantFrom(...keys).map((key) => key),
  fc.constantFrom(...keys).map((key) => `!${key}`),
  fc
    .record({ key: fc.constantFrom(...keys), not: fc.boolean() })
    .map(({ key, not }) => `${key} ${not ? "notin" : "in"} (1, v)`),
);

test("a list selects exactly what a watch with the same selector would", async () => {
  const { database } = await testDatabase();
  const lane = openLane({ database, registry: thingRegistry, reconciled: new Set() });
  const all = fc
    .sample(someLabels, { numRuns: 60, seed: 7 })
    .map((labels, index) => ({ name: `t${String(index).padStart(3, "0")}`, labels }));
  await Promise.all(
    all.map(({ name, labels }) =>
      lane.submit({
        author,
        needs: [],
        decide: () => ({
          writes: [{ operation: "create", resource: thing(name, 0, { labels }) }],
          audit: [],
        }),
      }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(someTerm, { maxLength: 4 }), fc.boolean(), async (parts, deep) => {
      const terms = parseLabelSelector(parts.join(","));
      const page = await listResources(database, {
        kind: "Thing",
        opensScope: false,
        scope: "",
        deep,
        visible: "all",
        labels: terms,
        fields: [],
        limit: 1000,
      });
      const expected = all.filter(({ labels }) => matches(terms, labels)).map(({ name }) => name);
      expect(page.items.map((item) => item.metadata.name)).toEqual(expected);
    }),
    { numRuns: 150 },
  );
});
