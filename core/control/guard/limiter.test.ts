import { expect, test } from "vitest";
import { openLimiter } from "./limiter.ts";

test("each sort has a minute of its own, and a refusal says how long to wait", () => {
  let now = 0;
  const refused: string[] = [];
  const limiter = openLimiter(
    (sort) => refused.push(sort),
    () => now,
  );
  limiter.count("subject", "ada", 1);
  limiter.count("watch", "ada", 1);
  limiter.count("subject", "bob", 1);
  now = 20_000;
  expect(() => limiter.count("subject", "ada", 1)).toThrow(
    expect.objectContaining({ kind: "exhausted", retryAfterMs: 40_000, perMinute: 1 }),
  );
  expect(refused).toEqual(["subject"]);
  now = 60_000;
  limiter.count("subject", "ada", 1);
});
