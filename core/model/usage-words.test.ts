import { expect, test } from "vitest";
import { showBytes, showCpu } from "./usage-words.ts";

test.for([
  [0, "0 B"],
  [999, "999 B"],
  [1000, "1.0 KiB"],
  [1024 ** 2, "1.0 MiB"],
  [412 * 1024 ** 2, "412 MiB"],
  [1020 * 1024 ** 2, "1.0 GiB"],
  [3.1 * 1024 ** 3, "3.1 GiB"],
] as const)("%d bytes are %s", ([bytes, words]) => {
  expect(showBytes(bytes)).toBe(words);
});

test("shares are of one core, or of all", () => {
  expect(showCpu(4)).toBe("0.4 %");
  expect(showCpu(1500)).toBe("150 %");
  expect(showCpu(1500, 8)).toBe("19 %");
});
