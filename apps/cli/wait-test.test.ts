import type { Resource } from "@reeve/model";
import { expect, test } from "vitest";
import { readWaitTest } from "./wait-test.ts";

const ready = { type: "Ready", status: "true", reason: "Ok", message: "fine", since: "2026-01-01T00:00:00Z" };

function resource(observedGeneration: number, status = "true"): Resource {
  const metadata = { scope: "acme", name: "shop", generation: 2, revision: 9 };
  const spec = { disabled: true, size: { cpus: 4 }, name: "a=b" };
  return {
    metadata,
    spec,
    status: { observedGeneration, conditions: [{ ...ready, status }] },
  } as unknown as Resource;
}

test("a condition holds only for the generation that is wanted now", () => {
  expect(readWaitTest("condition=ready").holds(resource(2))).toBe(true);
  expect(readWaitTest("condition=Ready").holds(resource(1))).toBe(false);
  expect(readWaitTest("condition=Ready").seen(resource(1))).toContain("of an earlier generation");
  expect(readWaitTest("condition=Ready=False").holds(resource(2, "false"))).toBe(true);
  expect(readWaitTest("condition=Ready").holds(undefined)).toBe(false);
});

test("fields are compared as text, at any depth", () => {
  expect(readWaitTest("spec.disabled=true").holds(resource(2))).toBe(true);
  expect(readWaitTest("spec.size.cpus=4").holds(resource(2))).toBe(true);
  expect(readWaitTest("spec.name=a=b").holds(resource(2))).toBe(true);
  expect(readWaitTest("spec.none=1").seen(resource(2))).toBe("spec.none is not set");
});

test("there and gone", () => {
  expect(readWaitTest("deleted").holds(undefined)).toBe(true);
  expect(readWaitTest("exists").holds(undefined)).toBe(false);
});

test("what cannot be waited for is refused with the forms", () => {
  for (const text of ["ready", "condition=", "x=1", ""])
    expect(() => readWaitTest(text)).toThrow(/cannot wait for/);
});
