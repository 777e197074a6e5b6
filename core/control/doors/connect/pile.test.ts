import { Fault } from "@reeve/model";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openPile, type Pile } from "./pile.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const told = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    type: "added" as const,
    revision: from + n,
    key: `acme n${n}`,
    object: "{}",
  }));

async function takeAll(pile: Pile): Promise<{ revisions: number[]; end: unknown }> {
  const revisions: number[] = [];
  try {
    for (let one = await pile.take(); one !== undefined; one = await pile.take())
      revisions.push(one.revision);
    return { revisions, end: "closed" };
  } catch (end) {
    return { revisions, end };
  }
}

test("gives out everything in order, then what it ended with", async () => {
  const pile = openPile();
  const taking = takeAll(pile);
  void pile.tell(told(1, 3));
  pile.synced(4);
  void pile.tell(told(5, 2500));
  const fault = new Fault("unavailable", "the server is stopping");
  pile.end(fault);
  const { revisions, end } = await taking;
  expect(revisions).toEqual([1, 2, 3, 4, ...told(5, 2500).map((one) => one.revision)]);
  expect(end).toBe(fault);
});

test("the past waits for the reader; live changes never do", async () => {
  const pile = openPile();
  expect(pile.tell(told(1, 500))).toBeUndefined();
  let room = false;
  const waiting = Promise.resolve(pile.tell(told(501, 600))).then(() => {
    room = true;
  });
  for (let n = 0; n < 599; n++) await pile.take();
  expect(room).toBe(false);
  await pile.take();
  await waiting;
  pile.synced(1100);
  expect(pile.tell(told(1101, 5000))).toBeUndefined();
});

test("a reader of live changes who falls 10,000 behind is ended at once, and told how to go on", async () => {
  const pile = openPile();
  pile.synced(0);
  void pile.tell(told(1, 9999));
  void pile.tell(told(10_000, 100));
  const { revisions, end } = await takeAll(pile);
  expect(revisions).toEqual([]);
  expect(end).toMatchObject({ kind: "unavailable", message: expect.stringContaining("too slow") });
  expect((end as Fault).next).toContain("last revision");
});

test("a reader who stops in the middle of the past is ended after a while, one who only reads slowly is not", async () => {
  const pile = openPile();
  const waiting = pile.tell(told(1, 1500)) as Promise<void>;
  const outcome = waiting.then(
    () => "room",
    (error: Fault) => error.message,
  );
  for (let n = 0; n < 5; n++) {
    await vi.advanceTimersByTimeAsync(29_000);
    await pile.take();
  }
  await vi.advanceTimersByTimeAsync(31_000);
  expect(await outcome).toContain("too slow");
});

test("closing lets go of the reader and of whoever tells", async () => {
  const pile = openPile();
  const taking = takeAll(pile);
  pile.close();
  expect(await taking).toEqual({ revisions: [], end: "closed" });
  await expect(pile.tell(told(1, 1))).rejects.toThrow();
});
