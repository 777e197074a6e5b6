import { expect, test } from "vitest";
import { openLogView, tame } from "./log-view.ts";

test("in a terminal only colours of a step's output are let through; a pipe gets all of it", () => {
  const hostile = [
    "\u001b[31mred\u001b[0m",
    "\u001b[2J\u001b[H",
    "\u001b]0;title\u0007",
    "\u001b]52;c;Y3VybA==\u0007",
    "\u009b2J",
    "over\rwritten\bten\u0000",
    "\u001bP$q\u001b\\",
  ].join(" ");
  const shown = tame(hostile, true);
  expect(shown).toContain("\u001b[31mred\u001b[0m");
  expect(shown.replaceAll("\u001b[31m", "").replaceAll("\u001b[0m", "")).toMatch(/^[^\p{Cc}]*$/u);
  expect(tame("a\tb\n", true)).toBe("a\tb\n");
  expect(tame(hostile, false)).toBe(hostile);
});

test("what an agent says of a gap steers no terminal either", () => {
  const source = { seq: 0, step: "load", attempt: 1, stream: "stdout" } as const;
  const gap = { ...source, chunk: 1, offset: 0, length: 3, why: "because\u001b[2J" };
  expect(openLogView({ named: true }).tell({ event: "gap", gap }).talk).toBe(
    "load: 3 bytes are missing: because [2J",
  );
});
