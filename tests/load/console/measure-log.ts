import { until } from "../../harness/until.ts";
import { ms, whole } from "../measure/table.ts";
import { type Figure, figure, percent, under } from "../runs/figures.ts";
import { apply } from "./fill.ts";
import { countEmptyFrames, countFrames } from "./frames.ts";
import { rewriteBareLines } from "./limits.ts";
import type { Site } from "./site.ts";

const lines = 1_000_000;
const mostDropped = 5;
const scope = "acme/shop";

/** A log of a million lines: when it can be read, and how smoothly it moves. */
export async function measureLog(site: Site): Promise<Figure[]> {
  const run = await writeLog(site);
  const page = await site.window();
  const forMs = site.quick ? 2000 : 8000;
  const floor = await countEmptyFrames(page, forMs);
  const begunAt = performance.now();
  await page.goto(`${site.url}/runs/${run}?step=0`);
  const box = page.getByLabel("Lines of the log");
  await box.locator("[data-line]").first().waitFor();
  const shownMs = performance.now() - begunAt;
  const count = () => box.getAttribute("data-count").then(Number);
  await until("all lines to be counted", async () => (await count()) >= lines, 300_000);
  const countedMs = performance.now() - begunAt;
  const held = `const box = document.querySelector("[data-count]")`;
  const steady = await countFrames(page, forMs, `() => { ${held}; box.scrollTop += 40; }`);
  const through = await countFrames(
    page,
    forMs,
    `(part) => { ${held}; box.scrollTop = part * (box.scrollHeight - box.clientHeight); }`,
  );
  const counted = await count();
  await page.context().close();
  const bare = await rewriteBareLines(site, forMs);
  return [
    figure("lines", counted, whole, { bar: { text: "all", met: counted === lines } }),
    figure("first lines shown", shownMs, ms),
    figure("all lines counted", countedMs, ms),
    figure("frames dropped, steadily", steady.droppedPercent, percent, {
      bar: under(steady.droppedPercent, mostDropped, "%"),
      detail: steady,
    }),
    figure("frames dropped, from end to end", through.droppedPercent, percent, {
      bar: under(through.droppedPercent, mostDropped, "%"),
      detail: through,
    }),
    figure("frames dropped, bare lines rewritten", bare.droppedPercent, percent, { detail: bare }),
    figure("frames dropped, an empty page", floor.droppedPercent, percent, { detail: floor }),
  ];
}

/** As a step writes it and an agent ships it. */
async function writeLog(site: Site): Promise<string> {
  const line = "2026-11-15T12:00:00Z info request=%08.0f status=200 took=12ms path=/api/v1/things";
  const steps = [{ name: "write", run: `exec seq -f '${line}' ${lines}` }];
  const metadata = { scope, name: "million" };
  await apply(site, [{ apiVersion: "reeve/v1", kind: "Workflow", metadata, spec: { steps } }]);
  const { api } = site.installation;
  const path = "/api/v1/organizations/acme/projects/shop/workflows/million/actions/trigger";
  const { run } = (await api.call("POST", path, { body: {} })).body;
  const state = async () => (await api.call("GET", `/api/v1/runs/${run}`)).body.state;
  await until("the log to be written", async () => (await state()) === "succeeded", 120_000);
  return run;
}
