import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import { openErrands } from "./errands.ts";

function held() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: resolve };
}

test("what is quick is answered at once, and what fails throws", async () => {
  const errands = openErrands();
  expect(await errands.result("a", "1", async () => "found")).toEqual({ value: "found" });
  await expect(errands.result("a", "1", () => Promise.reject(new Error("away")))).rejects.toThrow("away");
});

test("what is slow goes on by itself, one at a time, and counts only for what it was begun for", async () => {
  const errands = openErrands({ momentMs: 1 });
  const [first, second] = [held(), held()];
  expect(await errands.result("a", "1", first.work)).toBeUndefined();
  const never = () => Promise.reject(new Error("it was begun twice"));
  expect(await errands.result("a", "1", never)).toBeUndefined();
  expect(await errands.result("a", "2", never)).toBeUndefined();
  first.end("old");
  await settled();
  expect(await errands.result("a", "2", second.work)).toBeUndefined();
  second.end("new");
  await settled();
  expect(await errands.result("a", "2", never)).toEqual({ value: "new" });
});
