import fc from "fast-check";
import { expect, test } from "vitest";
import { type SseEvent, sseReader } from "./sse.ts";

const lineText = fc
  .string({ unit: fc.constantFrom("a", "7", " ", ":", "{", "é", "日", "😀", "\\") })
  .filter((text) => !/[\r\n]/.test(text));
const someEvent = fc.record({
  event: fc.constantFrom("added", "modified", "removed", "synced", "message"),
  id: fc.nat().map(String),
  lines: fc.array(lineText, { minLength: 1, maxLength: 4 }),
  newline: fc.constantFrom("\n", "\r\n", "\r"),
  comment: fc.boolean(),
});

test("events come out whole however the bytes are cut", () => {
  fc.assert(
    fc.property(
      fc.array(someEvent, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      (events, cuts) => {
        const text = events
          .map(({ event, id, lines, newline, comment }) =>
            [
              ...(comment ? [": still here"] : []),
              `event: ${event}`,
              `id: ${id}`,
              ...lines.map((line) => `data: ${line}`),
              "",
              "",
            ].join(newline),
          )
          .join("");
        const expected: SseEvent[] = events.map(({ event, id, lines }) => ({
          event,
          id,
          data: lines.join("\n"),
        }));
        expect(readCut(new TextEncoder().encode(text), cuts)).toEqual(expected);
      },
    ),
  );
});

test("an event without its closing blank line is not given out", () => {
  expect(readCut(new TextEncoder().encode("event: added\nid: 1\ndata: {}\n"), [])).toEqual([]);
});

test("CR, LF and LF are two line ends, also when each comes alone", () => {
  const read = sseReader();
  const pieces = ["data: a", "\r", "\n", "\n"].map((text) => read(new TextEncoder().encode(text)));
  expect(pieces.flat()).toEqual([{ event: "message", id: "", data: "a" }]);
});

test("the id is kept for later events that have none", () => {
  expect(
    readCut(new TextEncoder().encode("id: 4\ndata: a\n\ndata: b\n\n"), [3]).map((one) => one.id),
  ).toEqual(["4", "4"]);
});

test("fields without a space, unknown fields and a byte-order mark are understood", () => {
  const bytes = new TextEncoder().encode("\ufeffdata:x\nfoo: bar\ndata\n\n");
  expect(readCut(bytes, [1, 2])).toEqual([{ event: "message", id: "", data: "x\n" }]);
});

function readCut(bytes: Uint8Array, cuts: readonly number[]): SseEvent[] {
  const read = sseReader();
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort(
    (a, b) => a - b,
  );
  return places.flatMap((from, index) => read(bytes.subarray(from, places[index + 1] ?? bytes.length)));
}
