import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, password, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** Workflows as people write, begin and mend them in a browser, with a real server and its own agent. */
const bench = openBench(afterAll);
const shop = "/organizations/acme/projects/shop";
let server: ServerProcess;
let api: Api;

type Page = Browser["page"];

beforeAll(async () => {
  server = await startServer(bench, {
    settings: { REEVE_HOME_AGENT: "on", REEVE_TRUSTED_PROXIES: "127.0.0.1" },
  });
  api = await setUp(server.url, server.setupLink);
  await put(shop, {});
});

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

async function open(path: string, user = "ada"): Promise<Browser> {
  const browser = await openBrowser(openBench(onTestFinished));
  const { page } = browser;
  await page.goto(server.url + path);
  await page.getByLabel("Name").fill(user);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(server.url + path);
  return browser;
}

/** Puts this in the place of everything that the editor holds. */
async function write(page: Page, change: (text: string) => string): Promise<void> {
  const editor = page.getByRole("textbox", { name: "Workflow as YAML" });
  await editor.waitFor();
  const text = (await editor.locator(".cm-line").allTextContents()).join("\n");
  await editor.click();
  await page.keyboard.press("Control+A");
  // As a paste, because typing would be indented and completed along the way.
  await page.keyboard.insertText(change(text));
}

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const step = (page: Page, label: string) => page.getByRole("group", { name: label });
const badge = (page: Page, state: string) => page.locator(`[data-state="${state}"]`).first();

describe("workflows in the console", needs("chromium"), () => {
  test("from the first login to the first run that succeeds", async () => {
    const { page } = await open(`${shop}/workflows`);
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

  test("a failing workflow is mended in the editor, after a look at the difference", async () => {
    await workflow("broken", { steps: [{ name: "work", run: "exit 3" }] });
    await begin("broken");
    const { page } = await open(`${shop}/workflows`);
    const row = page.getByRole("row").filter({ hasText: "broken" });
    await row.getByText("last 1 runs: 1 failed").waitFor();
    await row.getByRole("link", { name: "broken" }).first().click();
    await button(page, "Edit").click();
    await write(page, (text) => text.replace("exit 3", "exit 0"));
    await button(page, "Review changes").click();
    const review = page.getByRole("dialog", { name: "Apply these changes?" });
    await review.locator('[data-sign="-"]').getByText("exit 3").waitFor();
    await review.locator('[data-sign="+"]').getByText("exit 0").waitFor();
    await review.getByLabel("Why").fill("it should work");
    await review.getByRole("button", { name: "Apply", exact: true }).click();
    await page.waitForURL(`${server.url}${shop}/workflows/broken`);

    await button(page, "Run").click();
    await button(page, "Run now").click();
    await page.waitForURL(/\/runs\//);
    await badge(page, "succeeded").waitFor();

    await page.goto(`${server.url}${shop}/workflows/broken?tab=history`);
    await page.getByText("it should work").waitFor();
    await page.getByText("From 1 to 2").waitFor();
    await page.locator('[data-sign="-"]').getByText("exit 3").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByText("last 2 runs: 1 failed, 1 succeeded").waitFor();
  });

  test("the strip of last results goes on by itself, and who may not begin a run reads why", async () => {
    await workflow("often", { steps: [{ name: "work", run: "true" }] });
    await put("/users/bob", {});
    await api.call("POST", "/api/v1/users/bob/actions/set-password", { body: { password } });
    await put(`${shop}/rolebindings/bob-views`, {
      spec: { role: "viewer", subject: { kind: "User", name: "bob" } },
    });
    const { page } = await open(`${shop}/workflows`, "bob");
    const row = page.getByRole("row").filter({ hasText: "often" });
    await row.getByText("no runs yet").waitFor();
    await begin("often");
    await row.getByText("last 1 runs: 1 succeeded").waitFor();
    await begin("often");
    await row.getByText("last 2 runs: 2 succeeded").waitFor();
    expect(await row.getByRole("button", { name: "Run" }).getAttribute("aria-disabled")).toBe("true");
    await row.getByRole("button", { name: "Run" }).hover();
    await page.getByText("You need workflows:trigger in acme/shop").waitFor();
    await page.getByRole("link", { name: "New workflow" }).click();
    await page
      .getByText("You need workflows:create in acme/shop")
      .or(button(page, "Review and create"))
      .waitFor();
    expect(await button(page, "Review and create").getAttribute("aria-disabled")).toBe("true");
  });

  test("schedules show their next ticks, and a time that is over is made up for", async () => {
    await workflow("nightly", {
      steps: [{ name: "work", run: "true" }],
      schedules: [
        { name: "early", cron: "30 2 * * *", timezone: "Europe/Berlin" },
        { name: "resting", cron: "@hourly", paused: true },
      ],
    });
    const { page } = await open("/schedules?scope=acme/shop");
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

  test("a paused workflow says so and begins nothing; axe finds nothing serious on any page", async () => {
    await workflow("idle", {
      description: "Rests most of the time.",
      inputs: { day: { required: true } },
      steps: [{ name: "work", run: "true" }],
    });
    const { page } = await open(`${shop}/workflows/idle`);
    await button(page, "Pause").click();
    await badge(page, "paused").waitFor();
    await button(page, "Run").hover();
    await page.getByText("The workflow is paused; resume it first").waitFor();
    await button(page, "Resume").click();
    await button(page, "Pause").waitFor();
    await step(page, "work: step").click();
    await page.waitForURL(/step=work/);
    await page.getByRole("region", { name: "step work" }).waitFor();
    for (const tab of ["Overview", "Runs", "Schedules", "Webhooks", "YAML", "Generations", "Events"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tabpanel", { name: tab }).waitFor();
      expect(await seriousFindings(page), tab).toEqual([]);
    }
    await button(page, "Run").click();
    await page.getByRole("dialog", { name: "Run idle" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
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
