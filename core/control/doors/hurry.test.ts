import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchHurry } from "./hurry.ts";

test("who is asked and has no time says so, and nothing is said when nobody asks", async () => {
  const hurry = vi.fn();
  const watch = watchHurry(hurry);
  onTestFinished(watch.stop);
  const busyUntil = async (isEnough: () => boolean) => {
    while (!isEnough()) {
      for (const end = performance.now() + 30; performance.now() < end; );
      await sleep(1);
    }
  };
  let rounds = 0;
  await busyUntil(() => ++rounds > 40);
  expect(hurry).not.toHaveBeenCalled();
  await busyUntil(() => {
    watch.asked();
    return hurry.mock.calls.length > 0;
  });
});
