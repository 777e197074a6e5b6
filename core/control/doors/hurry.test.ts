import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchHurry } from "./hurry.ts";

async function busyUntil(isEnough: () => boolean): Promise<void> {
  while (!isEnough()) {
    for (const end = performance.now() + 30; performance.now() < end; );
    await sleep(1);
  }
}

test("who is asked and has no time, twice in a row, says so; nothing is said when nobody asks, or of one late moment", async () => {
  const hurry = vi.fn();
  const watch = watchHurry(hurry);
  onTestFinished(watch.stop);
  let rounds = 0;
  await busyUntil(() => ++rounds > 40);
  expect(hurry).not.toHaveBeenCalled();
  // Late, and asked, within one look: the next one finds that nobody asks.
  watch.asked();
  const late = performance.now() + 300;
  await busyUntil(() => performance.now() > late);
  await sleep(1200);
  expect(hurry).not.toHaveBeenCalled();
  await busyUntil(() => {
    watch.asked();
    return hurry.mock.calls.length > 0;
  });
});

test("who was late goes on saying so while people ask, for some time and no longer", async () => {
  const hurry = vi.fn();
  const watch = watchHurry(hurry, 2000);
  onTestFinished(watch.stop);
  const said = () => hurry.mock.calls.length;
  await busyUntil(() => {
    watch.asked();
    return said() > 0;
  });
  const before = said();
  // Late no more, and asked all the time.
  const asking = setInterval(watch.asked, 20);
  onTestFinished(() => clearInterval(asking));
  await expect.poll(() => said() - before).toBeGreaterThan(1);
  const isOver = async () => {
    const last = said();
    await sleep(2000);
    return said() === last;
  };
  await expect.poll(isOver).toBe(true);
});

test("within that time, one question alone does not make it say so", async () => {
  const hurry = vi.fn();
  const watch = watchHurry(hurry);
  onTestFinished(watch.stop);
  await busyUntil(() => {
    watch.asked();
    return hurry.mock.calls.length > 0;
  });
  await sleep(1200);
  hurry.mockClear();
  watch.asked();
  await sleep(1200);
  expect(hurry).not.toHaveBeenCalled();
  const asking = setInterval(watch.asked, 20);
  onTestFinished(() => clearInterval(asking));
  await expect.poll(() => hurry.mock.calls.length).toBeGreaterThan(1);
});
