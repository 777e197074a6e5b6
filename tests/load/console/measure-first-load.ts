import type { Page, Response } from "playwright-core";
import { untilShown } from "../../harness/console-pages.ts";
import { until } from "../../harness/until.ts";
import { ms } from "../measure/table.ts";
import { type Figure, figure, times, under } from "../runs/figures.ts";
import { loadStill } from "./limits.ts";
import { type LongTask, longest, longTasks, type Site } from "./site.ts";

const slowDown = 4;
const quietMs = 1500;
const mostScriptKb = 250;
const mostTaskMs = 200;
const kilobytes = (value: number) => `${Math.round(value)} KB`;

export async function measureOverview(site: Site): Promise<Figure[]> {
  const [script, ...rest] = (await measureFirstLoad(site, "/", "five-hundred")) as [Figure, ...Figure[]];
  // What every page begins with. The run's page has a graph besides.
  return [{ ...script, bar: under(script.value, mostScriptKb, "KB") }, ...rest];
}

export function measureRunPage(site: Site): Promise<Figure[]> {
  return measureFirstLoad(site, `/runs/${site.installation.runs["five-hundred"]}`, "step-1");
}

/** With an empty cache on a machine four times as slow: what came, and when a person can use the page. */
async function measureFirstLoad(site: Site, path: string, shows: string): Promise<Figure[]> {
  const page = await site.window(slowDown);
  const weighed = weigh(page);
  await page.goto(site.url + path, { waitUntil: "commit" });
  await untilShown(page, shows);
  const shownMs = (await page.evaluate("performance.now()")) as number;
  await untilQuiet(page);
  const tasks = await longTasks(page);
  const bytes = await weighed();
  const still = await loadStill(site, path, shows, slowDown, page);
  await page.context().close();
  // Usable when it is shown and no long task is in the way any more.
  const usableMs = Math.max(shownMs, ...tasks.map(endOf));
  const longestMs = longest(tasks);
  return [
    figure("JavaScript, compressed", bytes.script / 1000, kilobytes),
    figure("all bytes transferred", bytes.all / 1000, kilobytes),
    figure("shown", shownMs, ms),
    figure("usable", usableMs, ms),
    figure("longest task", longestMs, ms, { bar: under(longestMs, mostTaskMs, "ms"), detail: tasks }),
    figure("shown, without its scripts", still.shownMs, ms),
    figure("longest task, without its scripts", still.longestMs, ms),
    figure("shown, times that without scripts", shownMs / still.shownMs, times),
  ];
}

/** Collects what a page transfers; streams that stay open are not waited for. */
function weigh(page: Page): () => Promise<{ script: number; all: number }> {
  const ended: Response[] = [];
  page.on("requestfinished", async (request) => {
    const response = await request.response();
    if (response !== null) ended.push(response);
  });
  return async () => {
    const bytes = { script: 0, all: 0 };
    for (const response of ended) {
      const { responseBodySize, responseHeadersSize } = await response.request().sizes();
      bytes.all += responseBodySize + responseHeadersSize;
      if (response.request().resourceType() === "script") bytes.script += responseBodySize;
    }
    return bytes;
  };
}

/** Until no long task has come for a while. */
async function untilQuiet(page: Page): Promise<void> {
  const now = () => page.evaluate("performance.now()") as Promise<number>;
  const lastEnd = async () => Math.max(0, ...(await longTasks(page)).map(endOf));
  await until("the page to be quiet", async () => (await now()) - (await lastEnd()) > quietMs, 60_000);
}

const endOf = ({ startTime, duration }: LongTask) => startTime + duration;
