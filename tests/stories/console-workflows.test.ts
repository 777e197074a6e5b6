import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { write } from "../harness/console-editor.ts";
import { addViewer, focused, openConsole, refused, tabTo } from "../harness/console-person.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** Workflows as people write, begin and mend them in a browser, with a real server and its own agent. */
const bench = openBench(afterAll);
const shop = "/organizations/acme/projects/shop";
let server: ServerProcess;
let api: Api;
let ada: Browser;
let bob: Browser;

type Page = Browser["page"];

async function put(path: string, body: object): Promise<void> {
  const answer = await api.call("PUT", `/api/v1${path}`, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

const workflow = (name: string, spec: object) => put(`${shop}/workflows/${name}`, { spec });

async function begin(name: string, inputs = {}): Promise<string> {
  const answer = await api.call("POST", `/api/v1${shop}/workflows/${name}/actions/trigger`, {
    body: { inputs },
  });
  return answer.body.run;
}

async function open(path: string, { page } = ada): Promise<Page> {
  await page.goto(server.url + path);
  return page;
}

const specOf = async (name: string) => (await api.call("GET", `/api/v1${shop}/workflows/${name}`)).body;

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1, exact: true });
const button = (page: Page | Locator, name: string) => page.getByRole("button", { name, exact: true });
const step = (page: Page, label: string) => page.getByRole("group", { name: label });
const badge = (page: Page, state: string) => page.locator(`[data-state="${state}"]`).first();

describe("workflows in the console", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, {
      settings: { REEVE_HOME_AGENT: "on", REEVE_TRUSTED_PROXIES: "127.0.0.1" },
    });
    api = await setUp(server.url, server.setupLink);
    await put(shop, {});
    await addViewer(api, "bob", shop);
    ada = await openConsole(bench, server.url, { path: `${shop}/workflows` });
    bob = await openConsole(bench, server.url, { user: "bob", path: `${shop}/workflows` });
  });

  test("from the first login to the first run that succeeds", async () => {
    const { page } = ada;
    await page.getByRole("heading", { name: "No workflows yet" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("link", { name: "New workflow" }).first().click();
    await heading(page, "Create a workflow").waitFor();
    await step(page, "greet: step").waitFor();

    // The graph follows the text, also while the text is not right yet.
    await write(page, () => manifest.replace("needs: [build]", "needs: [bild]"));
    await step(page, "ship: step").waitFor();
    await page.getByText("there is no step bild").first().waitFor();
    expect(await page.locator(".cm-lintRange-error").allTextContents()).toContain("bild");
    expect(await button(page, "Review and create").getAttribute("aria-disabled")).toBe("true");
    await write(page, () => manifest.slice(0, manifest.indexOf("needs:") + 8));
    await page.getByText("this is the graph of the last one that could").waitFor();
    await step(page, "ship: step").waitFor();

    await write(page, () => manifest);
    await page.getByText("The server would take it.").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button(page, "Review and create").click();
    await button(page, "Create").click();
    await page.waitForURL(`${server.url}${shop}/workflows/release`);
    await step(page, "build: step").waitFor();

    // A form of its own inputs, which says what the server would say.
    await button(page, "Run").click();
    const form = page.getByRole("dialog", { name: "Run release" });
    await form.getByRole("button", { name: "Run now" }).click();
    await form.getByText("is required (a text)").waitFor();
    await form.getByRole("textbox", { name: "version" }).fill("next");
    await form.getByText("must match").waitFor();
    await form.getByRole("textbox", { name: "version" }).fill("1.2");
    await form.getByText("reeve run release --scope acme/shop -i version=1.2 --follow").waitFor();
    await form.getByRole("button", { name: "Run now" }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await badge(page, "succeeded").waitFor();
    const { body } = await api.call("GET", `/api/v1/runs?about=Workflow/release`);
    expect(body.items).toMatchObject([{ state: "succeeded", inputs: { version: "1.2", loud: false } }]);
  });

  test("a failing run is followed, its error read, the workflow mended after a look at the difference, and what failed done again", async () => {
    await workflow("broken", {
      steps: [
        { name: "fetch", run: 'echo "rows=7" >> "$REEVE_OUTPUTS"' },
        {
          name: "load",
          needs: ["fetch"],
          run: 'echo "loading $rows rows"; echo "no such table: order" >&2; exit 3',
          env: { rows: "${{ steps.fetch.outputs.rows }}" },
        },
      ],
    });
    const first = await begin("broken");
    const page = await open(`${shop}/workflows`);
    const row = page.getByRole("row").filter({ hasText: "broken" });
    await row.getByText("last 1 runs: 1 failed").waitFor();
    await page.goto(`${server.url}/runs/${first}`);
    await badge(page, "failed").waitFor();
    await step(page, "load: failed").click();
    await page.getByText("no such table: order").waitFor();
    // Nothing newer is there yet.
    expect(await button(page, "Retry with generation 2").count()).toBe(0);

    await page.getByRole("link", { name: "broken", exact: true }).first().click();
    await button(page, "Edit").click();
    await write(page, (text) => text.replace("exit 3", "exit 0"));
    await button(page, "Review changes").click();
    const review = page.getByRole("dialog", { name: "Apply these changes?" });
    await review.locator('[data-sign="-"]').getByText("exit 3").waitFor();
    await review.locator('[data-sign="+"]').getByText("exit 0").waitFor();
    await review.getByLabel("Why").fill("it should work");
    await review.getByRole("button", { name: "Apply", exact: true }).click();
    await page.waitForURL(`${server.url}${shop}/workflows/broken`);

    await page.goto(`${server.url}/runs/${first}`);
    const seen = await open(`/runs/${first}`, bob);
    await refused(seen, "Retry with generation 2", "You need workflows:trigger in acme/shop");
    await button(page, "Retry with generation 2").click();
    const dialog = page.getByRole("dialog", { name: "Retry as generation 2 says?" });
    await button(dialog, "Retry with generation 2").click();
    await page.waitForURL(
      (url) => /\/runs\/[0-9a-f-]{36}/.test(url.pathname) && !url.pathname.includes(first),
    );
    await badge(page, "succeeded").waitFor();
    const second = new URL(page.url()).pathname.split("/").at(-1);
    const { body } = await api.call("GET", `/api/v1/runs/${second}/steps`);
    expect(body.items).toMatchObject([
      { name: "fetch", state: "succeeded", why: `kept from ${first}`, outputs: { rows: "7" } },
      { name: "load", state: "succeeded", attempt: 1 },
    ]);
    await step(page, "load: succeeded").click();
    await page.getByText("loading 7 rows").waitFor();

    await page.goto(`${server.url}${shop}/workflows/broken?tab=history`);
    await page.getByText("it should work").waitFor();
    await page.getByText("From 1 to 2").waitFor();
    await page.locator('[data-sign="-"]').getByText("exit 3").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByText("last 2 runs: 1 failed, 1 succeeded").waitFor();
  });

  test("the strip of last results goes on by itself, and who may not begin a run reads why", async () => {
    await workflow("often", { steps: [{ name: "work", run: "true" }] });
    const page = await open(`${shop}/workflows`, bob);
    const row = page.getByRole("row").filter({ hasText: "often" });
    await row.getByText("no runs yet").waitFor();
    await begin("often");
    await row.getByText("last 1 runs: 1 succeeded").waitFor();
    await begin("often");
    await row.getByText("last 2 runs: 2 succeeded").waitFor();
    await refused(row, "Run", "You need workflows:trigger in acme/shop");
    await page.getByRole("link", { name: "New workflow" }).click();
    await refused(page, "Review and create", "You need workflows:create in acme/shop");
  });

  test("schedules show their next ticks, and a time that is over is made up for", async () => {
    await workflow("nightly", {
      steps: [{ name: "work", run: "true" }],
      schedules: [
        { name: "early", cron: "30 2 * * *", timezone: "Europe/Berlin" },
        { name: "resting", cron: "@hourly", paused: true },
      ],
    });
    const page = await open("/schedules?scope=acme/shop");
    await page.getByRole("link", { name: "nightly early" }).click();
    const ticks = page.getByRole("list", { name: "Next ticks of early" });
    await ticks.waitFor();
    expect(await ticks.getByRole("listitem").count()).toBe(5);
    await button(page, "Show 25 ticks").click();
    await page.waitForURL(/ticks=many/);
    expect(await ticks.getByRole("listitem").count()).toBe(25);
    await page.getByRole("button", { name: "Backfill" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Backfill early of nightly" });
    await dialog.getByRole("button", { name: "Show the ticks" }).click();
    await dialog.getByText("1 tick to run").waitFor();
    await dialog.getByRole("button", { name: "Begin 1 run" }).click();
    await dialog.getByText("1 run has begun.").waitFor();
    const { body } = await api.call("GET", "/api/v1/runs?about=Workflow/nightly");
    expect(body.items).toMatchObject([{ cause: "backfill" }]);
  });

  test("a workflow is paused with its schedules, begins nothing, and is resumed; a viewer can do neither", async () => {
    await workflow("idle", {
      description: "Rests most of the time.",
      inputs: { day: { default: "today" } },
      steps: [{ name: "work", run: "true" }],
      schedules: [{ name: "hourly", cron: "@yearly" }],
    });
    const page = await open(`${shop}/workflows/idle`);
    const seen = await open(`${shop}/workflows/idle`, bob);
    await button(page, "Pause").click();
    // Both windows are told.
    for (const window of [page, seen]) await badge(window, "paused").waitFor();
    expect((await specOf("idle")).metadata.paused).toBe(true);
    await refused(page, "Run", "The workflow is paused; resume it first");
    expect((await begin("idle")) ?? "nothing").toBe("nothing");
    await page.getByRole("tab", { name: "Schedules" }).click();
    await page.getByText("Would fire next").waitFor();
    await refused(page, "Backfill", "The workflow is paused; resume it first");
    await refused(seen, "Resume", "You need workflows:update in acme/shop");
    await button(page, "Resume").click();
    await page.getByText("Fires next").waitFor();
    expect((await specOf("idle")).metadata.paused ?? false).toBe(false);
    for (const name of ["Pause", "Edit"]) await refused(seen, name, "You need workflows:update in acme/shop");
    await refused(seen, "Delete", "You need workflows:delete in acme/shop");
    await refused(seen, "Run", "You need workflows:trigger in acme/shop");
    await seen.getByRole("tab", { name: "Schedules" }).click();
    await refused(seen, "Backfill", "You need workflows:backfill in acme/shop");
  });

  test("a role that is given, and taken back, is known to the buttons of a page that is open", async () => {
    const page = await open(`${shop}/workflows/idle`, bob);
    const why = "You need workflows:trigger in acme/shop";
    await refused(page, "Run", why);
    const asked: string[] = [];
    page.on("framenavigated", (frame) => asked.push(frame.url()));
    await put(`${shop}/rolebindings/bob-edits`, {
      spec: { role: "editor", subject: { kind: "User", name: "bob" } },
    });
    await button(page, "Run").and(page.locator(":not([aria-disabled])")).waitFor();
    await api.call("DELETE", `/api/v1${shop}/rolebindings/bob-edits`);
    await refused(page, "Run", why);
    expect(asked).toEqual([]);
  });

  test("an earlier generation of a workflow is brought back; a viewer compares, and reads why they cannot", async () => {
    const { page } = ada;
    await page.goto(`${server.url}${shop}/workflows/broken?tab=history`);
    await page
      .getByRole("row", { name: /generation 1/ })
      .getByRole("button", { name: "Roll back" })
      .click();
    const dialog = page.getByRole("dialog", { name: "Roll back to generation 1?" });
    await dialog.locator('[data-sign="+"]').getByText("exit 3").waitFor();
    await dialog.getByLabel("Why").fill("to see it fail again");
    await button(dialog, "Roll back").click();
    await page.getByText("to see it fail again").waitFor();
    expect((await specOf("broken")).spec.steps[1].run).toContain("exit 3");
    const seen = await open(`${shop}/workflows/broken?tab=history`, bob);
    await refused(seen, "Roll back", "You need workflows:update in acme/shop");
  });

  test("without a mouse: from the palette to a workflow, its form, its run, a line of the log, and to another run", async () => {
    await workflow("spoken", {
      inputs: { word: { required: true } },
      steps: [{ name: "say", run: "for i in 1 2 3; do echo saying ${{ inputs.word }} $i; done" }],
    });
    const page = await open("/");
    const { keyboard } = page;
    await heading(page, "Overview").waitFor();
    await keyboard.press("Control+k");
    await page.getByLabel("Find a page, an action or a resource").waitFor();
    await keyboard.type("spoken");
    await page.getByRole("button", { name: /spoken/ }).waitFor();
    await keyboard.press("Enter");
    await heading(page, "spoken").waitFor();

    await tabTo(page, "button Run");
    await keyboard.press("Enter");
    const form = page.getByRole("dialog", { name: "Run spoken" });
    const word = form.getByRole("textbox", { name: "word" });
    await expect.poll(() => focused(page)).toContain("word");
    expect(await seriousFindings(page)).toEqual([]);
    // The focus stays within the dialog, however far one goes.
    for (let stop = 0; stop < 12; stop++) {
      await keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.closest('[role=dialog]') !== null")).toBe(true);
    }
    await keyboard.press("Escape");
    await form.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("button Run");

    await keyboard.press("Enter");
    await word.waitFor();
    await expect.poll(() => focused(page)).toContain("word");
    await keyboard.type("hello");
    await keyboard.press("Enter");
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await badge(page, "succeeded").waitFor();

    const node = page.locator(".react-flow__node").and(page.getByLabel(/^say: succeeded/));
    await tabTo(page, await node.getAttribute("aria-label").then((label) => `group ${label}`));
    await keyboard.press("Enter");
    await page.getByText("Log of say").waitFor();
    await page.getByText("3 lines").waitFor();
    await tabTo(page, "input Find in the whole log");
    await keyboard.type("hello 2");
    await keyboard.press("Enter");
    await page.getByText("1 of 1", { exact: true }).waitFor();
    await page.locator("[data-chosen]").getByText("saying hello 2").waitFor();
    await keyboard.press("Escape");
    await page.locator("[data-chosen] mark").waitFor({ state: "detached" });

    await begin("often");
    await open("/runs?scope=acme/shop");
    await page.getByRole("row").filter({ hasText: "often" }).first().getByText("succeeded").waitFor();
    await tabTo(page, "a often");
    await keyboard.press("j");
    expect(await focused(page)).toBe("a spoken");
    await keyboard.press("ArrowUp");
    expect(await focused(page)).toBe("a often");
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await page.getByRole("link", { name: "spoken" }).first().waitFor();
  });
});

const manifest = `apiVersion: reeve/v1
kind: Workflow
metadata:
  scope: acme/shop
  name: release
spec:
  inputs:
    version: { required: true, pattern: '\\d+\\.\\d+' }
    loud: { type: boolean, default: false }
  steps:
    - name: build
      run: echo "building \${{ inputs.version }}"
    - name: ship
      needs: [build]
      run: echo shipped
`;
