import { untilShown } from "../../harness/console-pages.ts";
import { ms, whole } from "../measure/table.ts";
import { type Figure, figure, percent, times, under } from "../runs/figures.ts";
import { fillOrganization } from "./fill.ts";
import { countEmptyFrames, countFrames } from "./frames.ts";
import { scrollBareTable } from "./limits.ts";
import type { Site } from "./site.ts";

const rows = 10_000;
const mostDropped = 5;

/** A long list: when it is there, how much of it is drawn, and how smoothly it moves. */
export async function measureList(site: Site): Promise<Figure[]> {
  await fillOrganization(site, "big", rows);
  const page = await site.window();
  const forMs = site.quick ? 2000 : 8000;
  const floor = await countEmptyFrames(page, forMs);
  const begunAt = performance.now();
  await page.goto(`${site.url}/organizations/big/projects`);
  await untilShown(page, "p-00000");
  const shownMs = performance.now() - begunAt;
  const table = page.getByRole("table");
  const told = Number(await table.getAttribute("aria-rowcount"));
  const drawn = await table.getByRole("row").count();
  const all = "document.documentElement.scrollHeight - innerHeight";
  const steady = await countFrames(page, forMs, "() => scrollBy(0, 40)");
  const through = await countFrames(page, forMs, `(part) => scrollTo(0, part * (${all}))`);
  await page.context().close();
  const bare = await scrollBareTable(site, rows, forMs);
  return [
    figure("rows", told, whole, { bar: { text: "all", met: told === rows } }),
    figure("rows drawn", drawn, whole),
    figure("shown", shownMs, ms),
    figure("frames dropped, steadily", steady.droppedPercent, percent, {
      bar: under(steady.droppedPercent, mostDropped, "%"),
      detail: steady,
    }),
    figure("frames dropped, from end to end", through.droppedPercent, percent, { detail: through }),
    figure("shown, a bare table of all rows", bare.shownMs, ms),
    figure("shown, times the bare table", shownMs / bare.shownMs, times),
    figure("frames dropped, a bare table", bare.frames.droppedPercent, percent, {
      detail: bare.frames,
    }),
    figure("frames dropped, an empty page", floor.droppedPercent, percent, { detail: floor }),
  ];
}
