import type { Run } from "@reeve/model";
import type { AuditRecord } from "@reeve/sdk";
import { expect, test } from "vitest";
import { activityOf } from "./activity.ts";

const run = (id: string, createdAt: string) => ({ id, createdAt }) as Run;
const record = (revision: number, at: string, kind: string, operation: string) =>
  ({ revision, at, kind, operation }) as AuditRecord;

test("runs and changes stand together, newest first; what began a run, and what is no kind, is left out", () => {
  const found = activityOf(
    [run("b", "2026-01-01T00:00:04Z"), run("a", "2026-01-01T00:00:01Z")],
    [
      record(9, "2026-01-01T00:00:05Z", "Session", "create"),
      record(8, "2026-01-01T00:00:04Z", "Workflow", "trigger"),
      record(7, "2026-01-01T00:00:03Z", "Workflow", "update"),
    ],
    new Set(["Workflow"]),
  );
  expect(found.map(({ key }) => key)).toEqual(["b", "7", "a"]);
});
