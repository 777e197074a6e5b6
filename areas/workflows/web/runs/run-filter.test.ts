import { expect, test } from "vitest";
import { filterOf } from "./run-filter.ts";

const now = Date.parse("2026-01-02T03:04:05Z");

test("the address of a list says which runs it shows", () => {
  expect(filterOf({}, "", now)).toEqual({});
  expect(
    filterOf(
      { state: "failed,running", workflow: "etl", cause: "schedule", within: "hour" },
      "acme/shop",
      now,
    ),
  ).toEqual({
    scope: "acme/shop",
    about: { kind: "Workflow", name: "etl" },
    states: ["failed", "running"],
    cause: "schedule",
    since: "2026-01-02T02:04:00.000Z",
  });
});

test("words that mean nothing are left out", () => {
  expect(filterOf({ state: "dead", cause: "magic", within: "eon" }, "", now)).toEqual({});
});
