import { expect, test } from "vitest";
import { runStates, stepStates, waitReasons } from "./run.ts";
import { retryFailedCan, runCan, runOperations, stepCan, stepOperations } from "./run-can.ts";

const quiet = { paused: false, cancelling: false };

test("a run that has ended can only be done over", () => {
  const table = runStates.map((state) => [
    state,
    runOperations.filter((operation) => runCan(operation, { state, ...quiet }).yes).join(" "),
  ]);
  expect(Object.fromEntries(table)).toEqual({
    queued: "cancel pause",
    running: "cancel pause",
    succeeded: "retry",
    failed: "retry",
    cancelled: "retry",
    skipped: "retry",
  });
});

test("a paused run is resumed or cancelled, one that is being cancelled is left alone", () => {
  const can = (run: { paused: boolean; cancelling: boolean }) =>
    runOperations.filter((operation) => runCan(operation, { state: "running", ...run }).yes).join(" ");
  expect(can({ paused: true, cancelling: false })).toBe("cancel resume");
  expect(can({ paused: true, cancelling: true })).toBe("");
});

test("a run of which all succeeded has nothing to do over but everything", () => {
  expect(retryFailedCan({ state: "failed", ...quiet }).yes).toBe(true);
  expect(retryFailedCan({ state: "succeeded", ...quiet }).yes).toBe(false);
  expect(retryFailedCan({ state: "running", ...quiet }).yes).toBe(false);
});

test("of a step only what has not begun is skipped, and each wait has its own way out", () => {
  const can = (step: Parameters<typeof stepCan>[1]) =>
    stepOperations.filter((operation) => stepCan(operation, step).yes).join(" ");
  expect(Object.fromEntries(stepStates.map((state) => [state, can({ state })]))).toEqual({
    blocked: "skip",
    due: "skip",
    ready: "skip",
    offered: "",
    running: "",
    waiting: "skip",
    succeeded: "",
    failed: "",
    cancelled: "",
    skipped: "",
  });
  expect(
    Object.fromEntries(waitReasons.map((reason) => [reason, can({ state: "waiting", reason })])),
  ).toEqual({
    retry: "skip",
    timer: "skip",
    approval: "approve reject",
    paused: "skip",
    limit: "skip",
    items: "",
    run: "",
    resource: "",
    lost: "decide",
  });
});
