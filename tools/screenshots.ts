/**
 * `npm run screenshots`, or `npm run screenshots -- runs hosts` for those whose names begin so: pictures of every page of the
 * console in a prepared installation, light and dark, wide and narrow, into `.cache/screenshots`. For people to look at.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { openBench } from "../tests/harness/bench.ts";
import { type Browser, openBrowser } from "../tests/harness/browser.ts";
import { prepareConsole } from "../tests/harness/console-installation.ts";
import {
  type ConsolePage,
  consolePages,
  openPage,
  outsidePages,
  setScheme,
} from "../tests/harness/console-pages.ts";
import { signIn } from "../tests/harness/console-person.ts";

const folder = join(import.meta.dirname, "..", ".cache", "screenshots");
const heights = { 1280: 800, 375: 812 };
const schemes = ["light", "dark"] as const;

const wanted = process.argv.slice(2);
let endAll = async () => {};
const bench = openBench((end) => {
  endAll = end;
});
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
try {
  process.exitCode = (await pictureAll()) ? 0 : 1;
} finally {
  await endAll();
}

/** Whether every page came. */
async function pictureAll(): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const installation = await prepareConsole(bench);
  const { url } = installation.server;
  const browser = await openBrowser(bench);
  const isWanted = ({ name }: ConsolePage) =>
    wanted.length === 0 || wanted.some((start) => name.startsWith(start));
  const missing: string[] = [];
  const pictureEach = async (pages: readonly ConsolePage[]) => {
    for (const page of pages.filter(isWanted))
      await picture(browser, url, page).catch((error: Error) =>
        missing.push(`${page.name}: ${error.message}`),
      );
  };
  await pictureEach(outsidePages);
  await signIn(browser, url);
  await pictureEach(consolePages(installation));
  for (const line of missing) process.stderr.write(`did not come: ${line}\n`);
  for (const line of browser.complaints) process.stderr.write(`the page complained: ${line}\n`);
  process.stdout.write(`${folder}\n`);
  return missing.length === 0;
}

async function picture({ page }: Browser, url: string, which: ConsolePage): Promise<void> {
  for (const [width, height] of Object.entries(heights)) {
    await page.setViewportSize({ width: Number(width), height });
    await openPage(page, url, which);
    for (const scheme of schemes) {
      await setScheme(page, scheme);
      await page.screenshot({ path: join(folder, `${which.name}-${width}-${scheme}.png`) });
    }
  }
}
