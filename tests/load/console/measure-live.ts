import { setTimeout as sleep } from "node:timers/promises";
import { untilShown } from "../../harness/console-pages.ts";
import { quantiles } from "../measure/quantiles.ts";
import { ms, whole } from "../measure/table.ts";
import { atLeast, type Figure, figure, percent, under } from "../runs/figures.ts";
import { apply, fillOrganization, projectOf } from "./fill.ts";
import { countEmptyFrames, countFrames } from "./frames.ts";
import { longest, longTasks, type Site } from "./site.ts";

const perSecond = 100;
/** Changes come in tenths of a second, as many writers together would send them. */
const batch = perSecond / 10;
const projects = 150;
const mostDropped = 5;
const mostDelayMs = 1000;

/** A list that is looked at while 100 things in it change each second: how late it is, and whether it still moves. */
export async function measureLive(site: Site): Promise<Figure[]> {
  await fillOrganization(site, "busy", projects);
  const page = await site.window();
  const forMs = site.quick ? 3000 : 10_000;
  const floor = await countEmptyFrames(page, forMs);
  await page.goto(`${site.url}/organizations/busy/projects`);
  await untilShown(page, "p-00000");
  await page.evaluate(watchTexts);
  const before = (await longTasks(page)).length;
  const [frames, acknowledged] = await Promise.all([countFrames(page, forMs), change(site, forMs)]);
  // The last one's time to arrive.
  await sleep(mostDelayMs);
  const seen = (await page.evaluate("Object.fromEntries(textsSeen)")) as Record<string, number>;
  const tasks = (await longTasks(page)).slice(before);
  await page.context().close();
  const delays = acknowledged.flatMap(({ text, at }) => (seen[text] === undefined ? [] : [seen[text] - at]));
  const { p50, p99 } = quantiles(delays.map((delay) => Math.max(0, delay)));
  return [
    figure("changes a second", (1000 * acknowledged.length) / forMs, whole),
    // What is never seen has no delay: all of them, or the next lines tell of the lucky ones.
    figure("changes seen", delays.length, whole, { bar: atLeast(delays.length, acknowledged.length) }),
    figure("answered to seen, p50", p50, ms),
    figure("answered to seen, p99", p99, ms, { bar: under(p99, mostDelayMs, "ms") }),
    figure("longest task", longest(tasks), ms),
    figure("frames dropped", frames.droppedPercent, percent, {
      bar: under(frames.droppedPercent, mostDropped, "%"),
      detail: frames,
    }),
    figure("frames dropped, an empty page", floor.droppedPercent, percent, { detail: floor }),
  ];
}

interface Change {
  readonly text: string;
  /** By the clock that the page has too. */
  readonly at: number;
}

async function change(site: Site, forMs: number): Promise<Change[]> {
  const done: Change[] = [];
  const begunAt = performance.now();
  for (let tick = 0; tick < forMs / 100; tick++) {
    await sleep(Math.max(0, begunAt + tick * 100 - performance.now()));
    const texts = Array.from({ length: batch }, (_, at) => `Change ${tick * batch + at}`);
    const resources = texts.map((text, at) => projectOf("busy", (tick * batch + at) % projects, text));
    await apply(site, resources);
    done.push(...texts.map((text) => ({ text, at: Date.now() })));
  }
  return done;
}

/** When each text was first there to be read. */
const watchTexts = `{
  globalThis.textsSeen = new Map();
  const note = (node) => {
    const text = node.textContent;
    for (const [one] of text.matchAll(/Change \\d+/g)) if (!textsSeen.has(one)) textsSeen.set(one, Date.now());
  };
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records)
      for (const node of type === "characterData" ? [target] : addedNodes) note(node);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}`;
