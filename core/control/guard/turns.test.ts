import { expect, test } from "vitest";
import { openTurns } from "./turns.ts";

test("of one key only so many are worked on at once, the rest in their order; another key does not wait", async () => {
  const turns = openTurns();
  const begun: string[] = [];
  const ask = (key: string, name: string) =>
    turns.take(key, 2).then((end) => {
      begun.push(name);
      return end;
    });
  const [one, two, three, four] = ["1", "2", "3", "4"].map((name) => ask("greedy", name));
  await ask("modest", "other");
  expect(begun).toEqual(["1", "2", "other"]);
  (await two)?.();
  await three;
  expect(begun).toEqual(["1", "2", "other", "3"]);
  (await one)?.();
  (await three)?.();
  await four;
  expect(begun).toEqual(["1", "2", "other", "3", "4"]);
});

test("a line that is too long is not joined, and turns that ended are free again", async () => {
  let refusals = 0;
  const turns = openTurns(() => refusals++);
  const end = await turns.take("greedy", 1);
  const waiting = Array.from({ length: 2000 }, () => turns.take("greedy", 1));
  await expect(turns.take("greedy", 1)).rejects.toMatchObject({ kind: "exhausted", retryAfterMs: 1000 });
  expect(refusals).toBe(1);
  end();
  for (const turn of waiting) (await turn)();
  (await turns.take("greedy", 1))();
});
