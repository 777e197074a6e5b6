import type { Page } from "playwright-core";
import { openBench } from "../../harness/bench.ts";
import { openBrowser } from "../../harness/browser.ts";
import { type ConsoleInstallation, prepareConsole } from "../../harness/console-installation.ts";
import { signIn } from "../../harness/console-person.ts";
import type { Premises } from "../measure/premises.ts";

/** A prepared installation, and a browser whose every window is a new one: signed in, nothing kept from before. */
export interface Site {
  readonly installation: ConsoleInstallation;
  readonly url: string;
  readonly quick: boolean;
  /** `slowDown` as a weaker machine would have it: 4 takes four times as long for everything. */
  window(slowDown?: number): Promise<Page>;
}

/** As large as on a laptop. */
const viewport = { width: 1280, height: 800 };

export async function openSite(premises: Premises, quick: boolean): Promise<Site> {
  const bench = openBench((end) => void premises.ending(end));
  const opening = openBrowser(bench);
  const installation = await prepareConsole(bench);
  const { url } = installation.server;
  const first = await opening;
  await signIn(first, url);
  const storageState = await first.page.context().storageState();
  const program = first.page.context().browser();
  if (program === null) throw new Error("the browser is gone");
  return {
    ...{ installation, url, quick },
    async window(slowDown = 1) {
      const context = await program.newContext({ storageState, viewport });
      const page = await context.newPage();
      page.setDefaultTimeout(120_000);
      const devtools = await context.newCDPSession(page);
      await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowDown });
      await page.addInitScript(watchTasks);
      return page;
    },
  };
}

/** Collects from the first moment on what keeps a page from answering: tasks of more than 50 ms. */
const watchTasks = `
  globalThis.longTasks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) longTasks.push({ startTime, duration });
  }).observe({ type: "longtask", buffered: true });
`;

export interface LongTask {
  readonly startTime: number;
  readonly duration: number;
}

export async function longTasks(page: Page): Promise<LongTask[]> {
  return (await page.evaluate("longTasks")) as LongTask[];
}

export const longest = (tasks: readonly LongTask[]) => Math.max(0, ...tasks.map(({ duration }) => duration));
