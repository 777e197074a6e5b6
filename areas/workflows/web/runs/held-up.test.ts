import type { Step } from "@reeve/model";
import { expect, test } from "vitest";
import { heldUp } from "./held-up.ts";

const now = Date.parse("2026-01-01T00:01:00Z");
const step = (seq: number, more: Partial<Step>) => ({ seq, name: `s${seq}`, ...more }) as Step;
const long = step(0, { state: "ready", readyAt: "2026-01-01T00:00:00Z" });
const limited = step(1, { state: "waiting", reason: "limit" });

test("a run is held up when nothing of it goes on, by what neither a person nor its own items will end", () => {
  const asked = step(2, { state: "waiting", reason: "approval" });
  const items = step(3, { state: "waiting", reason: "items" });
  expect(heldUp([long, limited, asked, items], now)).toEqual([long, limited]);
  expect(heldUp([step(0, { state: "ready", readyAt: "2026-01-01T00:00:58Z" })], now)).toEqual([]);
  expect(heldUp([long, limited, step(4, { state: "running" })], now)).toEqual([]);
});
