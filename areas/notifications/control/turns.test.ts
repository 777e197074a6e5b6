import { expect, test } from "vitest";
import { openTurns, type Turns } from "./turns.ts";

/** Begins all whose turn it is, and says to whom they go. */
function beginAll(turns: Turns, waiting: readonly string[]): string[] {
  return turns.next(waiting).flatMap(({ channel, most }) =>
    Array.from({ length: most }, () => {
      turns.begin(channel);
      return channel;
    }),
  );
}

test("one channel never has all the room, however much waits for it", () => {
  const turns = openTurns(16, 4);
  expect(beginAll(turns, ["dead"])).toEqual(["dead", "dead", "dead", "dead"]);
  expect(turns.next(["dead"])).toEqual([]);
  expect(beginAll(turns, ["dead", "good"])).toEqual(["good", "good", "good", "good"]);
});

test("where many wait each gets a little, and never more than there is room for", () => {
  const turns = openTurns(16, 4);
  const waiting = Array.from({ length: 20 }, (_, at) => `channel ${at}`);
  expect(beginAll(turns, waiting)).toEqual(waiting.slice(0, 16));
  expect(turns.next(waiting)).toEqual([]);
});

test("a place that becomes free goes to the channel that has waited longest for a turn, not to the one with the oldest news", () => {
  const turns = openTurns(2, 2);
  const ends = ["a", "b"].map((channel) => turns.begin(channel));
  ends[0]?.();
  // As the oldest of each is: those that never answer are always the first.
  expect(turns.next(["a", "b", "new"])).toEqual([{ channel: "new", most: 1 }]);
  turns.begin("new");
  ends[1]?.();
  expect(turns.next(["b", "a", "new"])).toEqual([{ channel: "a", most: 1 }]);
});
