import type { Run, RunResult } from "@reeve/model";
import { expect, test } from "vitest";
import { lastResults } from "./results.ts";

const createdAt = "2026-01-01T00:00:00Z";
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const result = (n: number, of = "etl"): RunResult => ({
  id: id(n),
  of,
  state: "running",
  why: "",
  createdAt,
});
const told = (n: number, state: Run["state"], uid = "etl") =>
  ({ id: id(n), about: { uid }, state, why: "", createdAt }) as Run;

test("what is told since counts over what was read, and only the newest 20 stay, oldest first", () => {
  const read = Array.from({ length: 20 }, (_, at) => result(at + 1)).reverse();
  const results = lastResults([...read, result(50, "other")], [told(21, "queued"), told(20, "failed")]);
  expect(results.get("etl")?.map((one) => one.id)).toEqual(Array.from({ length: 20 }, (_, at) => id(at + 2)));
  expect(
    results
      .get("etl")
      ?.slice(-2)
      .map((one) => one.state),
  ).toEqual(["failed", "queued"]);
  expect(results.get("other")).toHaveLength(1);
});
