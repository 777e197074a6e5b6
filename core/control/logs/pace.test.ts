import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openPace } from "./pace.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** How many bytes are taken of an agent that always has more, in a second of which nothing else happens. */
async function takenInASecond(pace: ReturnType<typeof openPace>): Promise<number> {
  const taking = pace.begin("agent");
  let bytes = 0;
  for (let ms = 0; ms < 1000; ms++) {
    vi.advanceTimersByTime(1);
    while (await isOpen(taking.room())) {
      taking.took(100);
      bytes += 100;
    }
  }
  taking.end();
  return bytes;
}

function isOpen(room: Promise<void>): Promise<boolean> {
  return Promise.race([room.then(() => true), new Promise<boolean>((no) => setImmediate(no, false))]);
}

test("while people wait output is taken more slowly, but it is taken, and comes back by itself", async () => {
  const pace = openPace(10_000);
  const full = await takenInASecond(pace);
  expect(full).toBeGreaterThan(10_000);
  pace.slow();
  const slow = await takenInASecond(pace);
  expect(slow).toBeLessThan(full / 2);
  expect(slow).toBeGreaterThan(1000);
  vi.advanceTimersByTime(20_000);
  expect(await takenInASecond(pace)).toBe(full);
});
