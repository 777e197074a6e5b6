import type { Stored } from "@reeve/store";
import { expect, test } from "vitest";
import { draftRuns } from "./draft.ts";

test("more steps than one transaction should write are refused, with how many runs may be begun", () => {
  const steps = Array.from({ length: 100 }, (_, at) => ({ name: `step-${at}`, wait: "1s" }));
  const workflow = {
    metadata: { scope: "acme", name: "large", uid: "u", generation: 1 },
    spec: { steps },
  } as unknown as Stored;
  const begin = (count: number) =>
    draftRuns(
      workflow,
      Array.from({ length: count }, () => ({ cause: "person" as const, by: "user:ada" })),
    );
  expect(begin(1000)).toHaveLength(1000);
  expect(() => begin(1001)).toThrow("1001 runs of 100 steps are 100100 steps");
});
