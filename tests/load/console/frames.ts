import type { Page } from "playwright-core";

export interface Frames {
  readonly shown: number;
  /** Of those that a screen of 60 Hz would have shown. */
  readonly droppedPercent: number;
  readonly longestMs: number;
}

/** Counts frames for a while; `move` is done in each of them, with the part of the time that has passed, 0 to 1. */
export async function countFrames(page: Page, forMs: number, move = "() => {}"): Promise<Frames> {
  const gaps = (await page.evaluate(`new Promise((done) => {
    const move = ${move};
    const gaps = [];
    let before;
    let begun;
    const frame = (now) => {
      begun ??= now;
      if (before !== undefined) gaps.push(now - before);
      before = now;
      if (now - begun > ${forMs}) return done(gaps);
      move((now - begun) / ${forMs});
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  })`)) as number[];
  const frameMs = 1000 / 60;
  const due = gaps.reduce((sum, gap) => sum + Math.max(1, Math.round(gap / frameMs)), 0);
  return {
    shown: gaps.length,
    droppedPercent: (100 * (due - gaps.length)) / due,
    longestMs: Math.max(0, ...gaps),
  };
}

const emptyPage = "data:text/html,<div style='height:1000000px;background:linear-gradient(red,blue)'></div>";

/** What the machine itself drops meanwhile: a page with nothing but a coloured box is scrolled as far. */
export async function countEmptyFrames(page: Page, forMs: number): Promise<Frames> {
  await page.goto(emptyPage);
  return countFrames(page, forMs, "(part) => scrollTo(0, part * 900000)");
}
