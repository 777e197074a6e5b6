import { expect, test } from "vitest";
import { runCommand } from "./run-command.ts";

test("the command begins the same run, whatever stands in the inputs", () => {
  expect(runCommand("acme/shop", "etl", { day: "monday", size: 3 })).toBe(
    "reeve run etl --scope acme/shop -i day=monday -i size=3 --follow",
  );
  expect(runCommand("", "etl", { note: "it's late", tags: ["a"] })).toBe(
    `reeve run etl -i 'note=it'\\''s late' -i 'tags=["a"]' --follow`,
  );
});
