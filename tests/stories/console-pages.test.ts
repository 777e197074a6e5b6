import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { contrastFindings, seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { type ConsoleInstallation, prepareConsole } from "../harness/console-installation.ts";
import {
  type ConsolePage,
  consolePages,
  openPage,
  outsidePages,
  setScheme,
  untilShown,
} from "../harness/console-pages.ts";
import { openConsole, refused, signIn } from "../harness/console-person.ts";

/** What holds of every page of the console, in an installation where each has something to show. */
const bench = openBench(afterAll);
let installation: ConsoleInstallation;
let windows: Browser[];
let router: Router;
/** Of each tab that was seen: whether it was looked at, too. */
const tabs = new Map<string, boolean>();

describe("every page of the console", needs("chromium"), () => {
  beforeAll(async () => {
    // Before the first browser: where that builds the console, what is imported later is React for production, and does not load.
    router = await openRouter();
    const opened = [openBrowser(bench), openBrowser(bench)];
    installation = await prepareConsole(bench);
    windows = await Promise.all(opened);
    await Promise.all(windows.map((window) => signIn(window, installation.server.url)));
  }, 180_000);

  test("is readable for everybody in light and dark, fits a phone, and can be reached by its address alone", async () => {
    const asked = new Set<string>();
    for (const { page } of windows) page.on("request", (one) => asked.add(new URL(one.url()).origin));
    const pages = consolePages(installation);
    const wrong: string[] = [];
    // Two at once: a page waits more than it works.
    await Promise.all(
      windows.map(async ({ page, complaints }) => {
        for (let which = pages.shift(); which !== undefined; which = pages.shift()) {
          const before = complaints.length;
          const findings = await lookAt(page, which).catch((error: Error) => [error.message.slice(0, 300)]);
          wrong.push(...[...findings, ...complaints.slice(before)].map((one) => `${which?.name}: ${one}`));
        }
      }),
    );
    expect(wrong).toEqual([]);
    expect([...asked]).toEqual([installation.server.url]);
    expect(tabs.size).toBeGreaterThan(20);
    expect([...tabs].flatMap(([tab, wasOpen]) => (wasOpen ? [] : [`${tab} was never opened`]))).toEqual([]);
  }, 900_000);

  test("and none is forgotten: each that the router knows is looked at", async () => {
    const all = [...outsidePages, ...consolePages(installation)];
    const looked = new Set(all.map(({ path }) => routeOf(path)));
    const known = new Set(Object.keys(router.routesByPath).map(atAnyScope));
    expect(known.size).toBeGreaterThan(20);
    expect([...known].filter((one) => !looked.has(one))).toEqual([]);
  });

  test("the overview tells who needs somebody, and draws what ran and what waits", async () => {
    const { page } = windows[0] as Browser;
    await page.setViewportSize({ width: 1280, height: 800 });
    await openPage(page, installation.server.url, pageNamed("overview"));
    const { runs } = installation;
    for (const [told, leadsTo] of [
      ["deploy failed", `/runs/${runs.deploy}`],
      ["ask of release waits for an approval", `/runs/${runs.release}?step=1`],
      ["The agent of build-1 is lost", "/hosts/build-1"],
      ["The token ci-old expires", "/organizations/acme/projects/shop/tokens/ci-old"],
    ] as const)
      expect(await page.getByRole("link", { name: told }).getAttribute("href"), told).toBe(leadsTo);
    // Below each are its latest values.
    for (const [chart, values] of [
      ["Runs that ended over time", /succeeded\d+failed\d+/],
      ["Runs that waited and ran over time", /queued\d+running\d+/],
    ] as const)
      await page.getByRole("figure", { name: chart }).filter({ hasText: values }).locator("canvas").waitFor();
  });

  test("also those for whoever has not signed in", async () => {
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    const findings: string[] = [];
    for (const which of outsidePages) findings.push(...(await lookAt(page, which)));
    expect([...findings, ...complaints]).toEqual([]);
  });

  test("allows no script but the files of the build, and nobody to frame it", async () => {
    const answer = await fetch(installation.server.url, { headers: { accept: "text/html" } });
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(await answer.text()).not.toMatch(/<script(?![^>]*\ssrc=)/);
  });

  test("can be used by keyboard: the content is one key away, and what has the focus is seen", async () => {
    const { page } = windows[0] as Browser;
    await page.setViewportSize({ width: 1280, height: 800 });
    await openPage(page, installation.server.url, pageNamed("workflows"));
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("To the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    for (let stop = 0; stop < 12; stop++) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate(focusMark), `stop ${stop} behind the skip link`).not.toBe("");
    }
  });

  test("draws of 500 steps only those in sight, from the first moment on", async () => {
    const { page } = windows[1] as Browser;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.addInitScript(countSteps);
    await openPage(page, installation.server.url, pageNamed("run-of-500"));
    const most = await page.evaluate("mostSteps");
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(150);
  });

  test("asks nothing by the clock: in two minutes of quiet no page sends a request", async () => {
    const { page } = await openConsole(openBench(onTestFinished), installation.server.url);
    await page.clock.install();
    await page.addInitScript(neverSilent);
    const asked: string[] = [];
    page.on("request", (one) => {
      const { pathname } = new URL(one.url());
      const isStream = one.headers().accept === "text/event-stream";
      if (pathname.startsWith("/api/") && !isStream) asked.push(`${page.url()}: ${pathname}`);
    });
    for (const name of quietPages) {
      await openPage(page, installation.server.url, pageNamed(name));
      // What was still on its way when all was shown is there after the first of them.
      for (let minutes = 0; minutes < 4; minutes += 2) {
        asked.length = 0;
        await page.clock.runFor(120_000);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
      expect(asked, name).toEqual([]);
    }
  }, 300_000);

  test("draws what a host uses again when its agent has told more; how far back is in the address", async () => {
    const { page } = windows[1] as Browser;
    await page.setViewportSize({ width: 1280, height: 800 });
    const { api, server } = installation;
    const { items } = (await api.call("GET", "/api/v1/hosts")).body;
    const { metadata } = items.find(
      ({ status }: { status: { agent: string } }) => status.agent === "connected",
    );
    const asked: (string | null)[] = [];
    page.on("request", (one) => {
      const { pathname, searchParams } = new URL(one.url());
      if (pathname === `/api/v1/usage/hosts/${metadata.name}`) asked.push(searchParams.get("range"));
    });
    await page.goto(`${server.url}/hosts/${metadata.name}?tab=agent`);
    await expect.poll(() => asked.length).toBeGreaterThan(1);
    expect(new Set(asked)).toEqual(new Set(["1h"]));
    await page.getByText("24 hours", { exact: true }).click();
    await page.waitForURL(/range=24h/);
    await page.reload();
    await page.getByRole("radio", { name: "24 hours", checked: true }).waitFor({ state: "attached" });
    await expect.poll(() => asked.at(-1)).toBe("24h");
  });

  test("of a workflow, a service and a repository tells what it tells of every kind: conditions with their age, why, and what belongs together", async () => {
    const { page } = windows[0] as Browser;
    const { api, server } = installation;
    const shop = "/organizations/acme/projects/shop";
    const spec = { git: { url: "https://git.example.com/acme/sites.git" } };
    const made = await api.call("PUT", `/api/v1${shop}/repositories/sites`, { body: { spec } });
    expect(made.status, made.text).toBeLessThan(300);
    for (const path of ["workflows/nightly", "services/storefront", "repositories/sites"]) {
      await page.goto(`${server.url}${shop}/${path}`);
      await page.getByRole("tab", { name: "Status" }).click();
      for (const title of ["Wanted", "Why it is so", "Belongs together", "About"])
        await page.getByRole("region", { name: title }).waitFor();
    }
    await page.getByRole("table", { name: "Conditions" }).getByText("Fetched").waitFor();
    await page.getByText(/^Observed (now|\d+[smh] ago)/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("a service that is paused says why nothing can be begun, and is resumed where it says so", async () => {
    const { page } = windows[0] as Browser;
    const { server } = installation;
    await page.goto(`${server.url}/organizations/acme/projects/shop/services/storefront`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator("header [data-state=paused]").waitFor();
    await refused(page, "Deploy", "The service is paused; resume it first");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Deploy" }).and(page.locator(":not([aria-disabled])")).waitFor();
  });

  test("keeps its state in its address: a tab and an order are there again after loading it anew", async () => {
    const { page } = windows[0] as Browser;
    const { url } = installation.server;
    await openPage(page, url, pageNamed("workflow"));
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.waitForURL(/tab=yaml/);
    await page.reload();
    await page.getByRole("tab", { name: "YAML", selected: true }).waitFor();

    await openPage(page, url, pageNamed("projects"));
    const head = page.getByRole("columnheader", { name: "Name", exact: true });
    await head.getByRole("button").click();
    await head.getByRole("button").click();
    await page.waitForURL(/sort=-name/);
    await page.reload();
    await untilShown(page, "The shop");
    expect(await head.getAttribute("aria-sort")).toBe("descending");
    expect(await page.getByRole("row").nth(1).getByRole("link").textContent()).toBe("shop");
  });
});

/** What is wrong with a page. */
async function lookAt(page: Page, which: ConsolePage): Promise<string[]> {
  await page.setViewportSize({ width: 1280, height: 800 });
  await openPage(page, installation.server.url, which);
  await noteTabs(page, which);
  const findings = await seriousFindings(page);
  await setScheme(page, "dark");
  findings.push(...(await contrastFindings(page)).map((one) => `dark: ${one}`));
  await setScheme(page, "light");
  await page.setViewportSize({ width: 375, height: 812 });
  await untilShown(page, which.shows);
  const tooWide = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
  if (Number(tooWide) > 0) findings.push(`is ${tooWide} px too wide for a phone`);
  return findings;
}

/** What is needed of the console's own router; its types are those of a browser. */
interface Router {
  readonly routesByPath: Readonly<Record<string, unknown>>;
  getMatchedRoutes(path: string): readonly [unknown, unknown, { readonly fullPath: string } | undefined];
}

async function openRouter(): Promise<Router> {
  const file = new URL("../../apps/console/router.tsx", import.meta.url).pathname;
  return (await import(file)).openRouter();
}

function routeOf(address: string): string {
  const [, , route] = router.getMatchedRoutes(new URL(address, "http://console").pathname);
  return atAnyScope(route?.fullPath ?? "");
}

/** One page, at whichever level of the scope tree it is looked at. */
function atAnyScope(route: string): string {
  return route.replace(
    /^(\/(organizations|projects|workspaces)\/\$(organization|project|workspace))+(?=\/)/,
    "",
  );
}

/** Those that show the same of any kind. */
const recordTabs = ["Status", "YAML", "Generations", "History", "Events"];

async function noteTabs(page: Page, { path }: ConsolePage): Promise<void> {
  const seen = await page
    .locator("main [role=tab]")
    .evaluateAll((all) =>
      all.map((tab) => [tab.textContent ?? "", tab.getAttribute("aria-selected") === "true"] as const),
    );
  for (const [text, isOpen] of seen) {
    // Without how many things it has.
    const label = text.replace(/ \(\d+\)$/, "");
    const tab = recordTabs.includes(label) ? label : `${label} of ${routeOf(path)}`;
    tabs.set(tab, isOpen || tabs.get(tab) === true);
  }
}

function pageNamed(name: string): ConsolePage {
  const found = consolePages(installation).find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no page ${name}`);
  return found;
}

const quietPages = [
  ...["overview", "workflows", "workflow", "schedules", "runs", "run-approval", "run-running-log"],
  ...["services", "service-usage", "hosts", "host", "project", "secret", "tokens", "audit", "settings"],
];

/** A stream that says nothing for 45 s is given up. It is the page's clock alone that runs ahead, not the server's. */
const neverSilent = `
  const later = setTimeout;
  globalThis.setTimeout = (act, ms, ...more) => ms === 45000 ? 0 : later(act, ms, ...more);
`;

/** How the element with the focus shows that it has it: an outline, a ring, or the border of the field around it. */
const focusMark = `(() => {
  const marks = [];
  for (let at = document.activeElement, up = 0; at && up < 3; at = at.parentElement, up++) {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
    if (outlineStyle !== "none" && outlineWidth !== "0px") marks.push("outline");
    if (boxShadow !== "none") marks.push("ring");
    if (at.matches("input, [data-focused]")) marks.push("field");
  }
  return marks.join(" ");
})()`;

/** The most steps of a graph that were ever drawn at once. */
const countSteps = `
  globalThis.mostSteps = 0;
  new MutationObserver(() => {
    mostSteps = Math.max(mostSteps, document.querySelectorAll(".react-flow__node").length);
  }).observe(document, { subtree: true, childList: true });
`;
