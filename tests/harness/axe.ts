import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds serious or worse on a page, one line each. */
export function seriousFindings(page: Page): Promise<string[]> {
  return findings(page, {});
}

/** The one rule that a page can break in dark and keep in light. */
export function contrastFindings(page: Page): Promise<string[]> {
  return findings(page, { runOnly: ["color-contrast"] });
}

/** Until what had begun to move has come to rest; what turns for ever is not waited for. */
const settle = `Promise.allSettled(
  document.getAnimations()
    .filter((motion) => motion.effect.getComputedTiming().endTime !== Infinity)
    .map((motion) => motion.finished),
).then(() => undefined)`;

async function findings(page: Page, chosen: RunOptions): Promise<string[]> {
  // Not as a script of the page: its policy would rightly refuse it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  // A notice that fades out has the contrast of a moment that nobody reads: nothing moves while it is looked at.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.evaluate(settle);
  // Of what is right there is much more than of what is wrong: it stays where it is.
  const options: RunOptions = { ...chosen, resultTypes: ["violations"], preload: false };
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as AxeResults["violations"];
  await page.emulateMedia({ reducedMotion: null });
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
