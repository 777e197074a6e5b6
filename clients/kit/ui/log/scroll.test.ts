import fc from "fast-check";
import { expect, test } from "vitest";
import { layOf, lineHeight } from "./scroll.ts";

test("any line of any log can be reached, and its end is the end of the scrolling", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 50_000_000 }),
      fc.integer({ min: 100, max: 2000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (lines, view, part) => {
        const lay = layOf(lines, view);
        expect(lay.height).toBeLessThanOrEqual(15_000_000);
        const line = Math.floor(part * (lines - 1));
        const top = lay.top(line);
        const { first, cut } = lay.at(top);
        const seen = Math.round(first * lineHeight + cut);
        // It is the first, or as near to the top as the end of the log allows.
        expect(
          Math.abs(seen - Math.max(0, Math.min(line * lineHeight, lines * lineHeight - view))),
        ).toBeLessThanOrEqual(1);
        expect(top).toBeLessThanOrEqual(Math.max(0, lay.height - view) + 0.01);
      },
    ),
  );
});
