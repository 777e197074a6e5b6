/**
 * What a test run amounts to: the closing lines and whether it may be called good. Nothing is skipped silently:
 * a suite that could not run is named with the command that would let it, and in CI every skip is a failure.
 */
import { type ComponentName, components } from "./components.ts";

export interface Outcome {
  name: string;
  state: "passed" | "failed" | "skipped" | "pending";
  /** For a skipped test whose suite declared a component that is not here. */
  excuse?: { suite: string; missing: readonly ComponentName[] };
}

export interface Run {
  outcomes: readonly Outcome[];
  /** Failures that belong to no single test: a file that does not load, a rejected promise, a broken hook. */
  otherFailures: number;
  ci: boolean;
  /** The caller chose tests by name, so the rest is skipped on purpose. */
  chosenByName: boolean;
}

export function tally(run: Run): { lines: string[]; failed: number; good: boolean } {
  const count = (state: Outcome["state"]) => run.outcomes.filter((one) => one.state === state).length;
  const skipped = run.outcomes.filter((one) => one.state === "skipped");
  const unexcused = run.chosenByName ? [] : skipped.filter((one) => !one.excuse);
  const refused = run.ci ? skipped.filter((one) => one.excuse).length + unexcused.length : 0;

  // A test that never ended has not passed: its worker died or the run was interrupted.
  const failed = count("failed") + count("pending") + run.otherFailures + refused;
  const left = skipped.length - refused;
  const lines = [
    ...notRun(skipped),
    ...unexcused.map((one) => `skipped without a declared component: ${one.name}`),
  ];
  if (refused > 0) lines.push("in CI a test that did not run counts as failed");
  if (count("passed") + count("failed") === 0) lines.push("no test ran");
  lines.push(`${count("passed")} passed, ${failed} failed${left > 0 ? `, ${left} skipped` : ""}`);
  return { lines, failed, good: failed === 0 && count("passed") > 0 };
}

function notRun(skipped: readonly Outcome[]): string[] {
  const lines = skipped.flatMap(({ excuse }) =>
    excuse
      ? `not run: ${excuse.suite}: needs ${excuse.missing.join(", ")}; ` +
        excuse.missing.map((name) => components[name].provide).join(" && ")
      : [],
  );
  return [...new Set(lines)];
}
