import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const page = readFileSync(join(root, "docs", "requirements.md"), "utf8");
const security = readFileSync(join(root, "docs", "security.md"), "utf8");

test.each([
  ["requirements", page],
  ["security", security],
])("every test that docs/%s.md names is there", (_, text) => {
  const named = [...text.matchAll(/`([\w*/.-]+\.test\.ts)`/g)].map((found) => found[1] as string);
  expect(named.length).toBeGreaterThan(10);
  for (const pattern of named) expect(globSync(pattern, { cwd: root }), pattern).not.toEqual([]);
});

test("every requirement has its line", () => {
  const counts = { W: 17, S: 14, U: 12, D: 11, P: 14, C: 10 };
  const wanted = Object.entries(counts).flatMap(([letter, count]) =>
    [...Array(count)].map((_, index) => `${letter}${index + 1}`),
  );
  const listed = [...page.matchAll(/^\| ([WSUDPC]\d+) \|/gm)].map((found) => found[1] as string);
  expect(listed.toSorted()).toEqual(wanted.toSorted());
});

test("every suite of stories and weather proves something that docs/requirements.md names", () => {
  for (const file of globSync("tests/{stories,weather}/*.test.ts", { cwd: root }))
    expect(page.includes(file), `${file} is named`).toBe(true);
});
