import { expect, test } from "vitest";
import { packBundle, readBundle } from "./bundle.ts";

test("the same files are the same bundle, whatever order they were written in", () => {
  expect(packBundle({ b: "2", "a/x": "1" })).toBe(packBundle({ "a/x": "1", b: "2" }));
  expect(readBundle(packBundle({ b: "2", "a/x": "1" }))).toEqual({ "a/x": "1", b: "2" });
});

test.each(["../a", "/a", "a/../../b"])(
  "a bundle whose path would lead out of the folder is refused: %s",
  (path) => {
    expect(() => readBundle(JSON.stringify({ [path]: "x" }))).toThrow(path);
  },
);
