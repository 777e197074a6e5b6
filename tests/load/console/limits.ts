import type { Page } from "playwright-core";
import { untilShown } from "../../harness/console-pages.ts";
import { countFrames, type Frames } from "./frames.ts";
import { longest, longTasks, type Site } from "./site.ts";

/**
 * What the browser itself needs for the same thing on the same machine, without a line of ours: the limit that each figure stands
 * beside. No other product shows the same pages.
 */

/** The finished page, as it stands, without its scripts: what is left is to load, style, lay out and paint it. */
export async function loadStill(site: Site, path: string, shows: string, slowDown: number, loaded: Page) {
  const body = (await loaded.content()).replaceAll(
    /<script\b.*?<\/script>|<link [^>]*modulepreload[^>]*>/gs,
    "",
  );
  const page = await site.window(slowDown);
  await page.route(site.url + path, (route) => route.fulfill({ contentType: "text/html", body }));
  await page.goto(site.url + path);
  await untilShown(page, shows);
  const shownMs = (await page.evaluate("performance.now()")) as number;
  const longestMs = longest(await longTasks(page));
  await page.context().close();
  return { shownMs, longestMs };
}

/** Every row of a list in a table of plain elements, scrolled from end to end. */
export async function scrollBareTable(site: Site, rows: number, forMs: number) {
  const page = await site.window();
  const row = (at: number) =>
    `<tr><td><a href="#${at}">p-${String(at).padStart(5, "0")}</a><td>Project ${at}<td>Ready<td>2 minutes ago`;
  const begunAt = performance.now();
  await page.setContent(`<table>${Array.from({ length: rows }, (_, at) => row(at)).join("")}</table>`);
  const shownMs = performance.now() - begunAt;
  const all = "document.documentElement.scrollHeight - innerHeight";
  const frames = await countFrames(page, forMs, `(part) => scrollTo(0, part * (${all}))`);
  await page.context().close();
  return { shownMs, frames };
}

/** As many lines as a log shows at once, of plain elements, each with another text in every frame. */
export async function rewriteBareLines(site: Site, forMs: number): Promise<Frames> {
  const page = await site.window();
  const lines = 40;
  await page.setContent(`<pre>${"<div>0</div>".repeat(lines)}</pre>`);
  const frames = await countFrames(
    page,
    forMs,
    `(part) => {
      const first = Math.floor(part * 1_000_000);
      [...document.querySelectorAll("div")].forEach((line, at) => {
        line.textContent = (first + at) + " 2026-11-15T12:00:00Z info status=200 took=12ms path=/api/v1/things";
      });
    }`,
  );
  await page.context().close();
  return frames;
}
