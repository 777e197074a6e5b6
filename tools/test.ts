/**
 * `npm test`: every test, ending with the line "N passed, N failed". `npm test -- fast` runs one project,
 * `npm test -- apply -t "refuses"` goes to vitest as it stands.
 */
import {
  parseCLI,
  startVitest,
  type TestCase,
  type TestModule,
  type TestSuite,
  type Vitest,
} from "vitest/node";
import { type Outcome, type Run, tally } from "./tally.ts";

const PROJECTS = ["fast", "server", "stories", "weather"];

const args = process.argv.slice(2);
const { filter, options } = parseCLI(["vitest", "run", ...args.filter((arg) => !PROJECTS.includes(arg))]);
// Stories are two projects: those in a browser run one by one.
const project = args.filter((arg) => PROJECTS.includes(arg)).map((name) => `${name}*`);
const vitest = await startVitest(filter, {
  ...options,
  watch: false,
  ...(project.length > 0 && { project }),
});
const modules = vitest.state.getTestModules();
const run: Run = {
  outcomes: modules.flatMap((module) => [...module.children.allTests()].map(outcome)),
  otherFailures: otherFailures(vitest, modules),
  ci: Boolean(process.env.CI) && process.env.CI !== "false",
  chosenByName: options.testNamePattern !== undefined || filter.some((one) => /:\d+$/.test(one)),
};
await vitest.close();

let result = tally(run);
// Vitest also fails for what it keeps no count of: a broken global set-up or teardown, no file found.
if (process.exitCode && result.failed === 0) result = tally({ ...run, otherFailures: 1 });
// After close() nothing else writes, so the count is the last line; exit at once, whatever a test left open.
process.stdout.write(`${result.lines.join("\n")}\n`, () => process.exit(result.good ? 0 : 1));

function outcome(test: TestCase): Outcome {
  const { state } = test.result();
  // Vitest says "skipped" also where a hook above broke; such a test was to run and did not.
  if (state === "skipped" && isBelowBroken(test)) return { name: test.fullName, state: "pending" };
  const declared = state === "skipped" ? findDeclaration(test) : undefined;
  const missing = declared?.meta().missing;
  if (!declared || !missing) return { name: test.fullName, state };
  return { name: test.fullName, state, excuse: { suite: declared.fullName, missing } };
}

function isBelowBroken(test: TestCase): boolean {
  for (let at: TestSuite | TestModule = test.parent; ; at = at.parent) {
    if (at.errors().length > 0) return true;
    if (at.type === "module") return false;
  }
}

/** The outermost one, so that a suite is named once and not each of its tests. */
function findDeclaration(test: TestCase): TestCase | TestSuite | undefined {
  let found: TestCase | TestSuite | undefined;
  for (let at: TestCase | TestSuite | TestModule = test; at.type !== "module"; at = at.parent) {
    if (at.meta().missing) found = at;
  }
  return found;
}

function otherFailures(vitest: Vitest, modules: readonly TestModule[]): number {
  const holders = modules.flatMap((module) => [module, ...module.children.allSuites()]);
  return holders.filter((one) => one.errors().length > 0).length + vitest.state.getUnhandledErrors().length;
}
