import { expect, test } from "vitest";
import { ageText } from "./age.tsx";

test("a moment is told from now in its largest part, in both directions", () => {
  const told = (seconds: number) => ageText(0, seconds * 1000);
  expect([3, 42, 65, 3600, 12_000, 86_400, -600].map(told)).toEqual([
    "now",
    "42s ago",
    "1m ago",
    "1h ago",
    "3h ago",
    "1d ago",
    "in 10m",
  ]);
});
