import { expect, test } from "vitest";
import { hasWords } from "./has-words.ts";

test("every word must be there, in any order and any case; nothing finds everything", () => {
  const texts = ["acme/shop", "Web", "zone=a"];
  expect(hasWords(texts, "ZONE=A web")).toBe(true);
  expect(hasWords(texts, "web zone=b")).toBe(false);
  expect(hasWords(texts, "")).toBe(true);
});
