import { expect, test } from "vitest";
import { openResting } from "./resting.ts";

test("what fails rests longer each time, at most a minute, and begins anew when it went well", () => {
  let now = 0;
  const resting = openResting(() => now);
  const restsFor = () => {
    const from = now;
    while (resting.has("a")) now += 500;
    return now - from;
  };
  const rests = Array.from({ length: 9 }, () => {
    resting.send("a");
    return restsFor();
  });
  expect(rests).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  resting.wake("a");
  resting.send("a");
  expect(restsFor()).toBe(1000);
});

test("what is not heard of any more is forgotten", () => {
  let now = 0;
  const resting = openResting(() => now);
  for (const uid of ["a", "b"]) resting.send(uid);
  now = 200_000;
  resting.send("c");
  expect(resting.size).toBe(1);
});
