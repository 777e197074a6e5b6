import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, openApi, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { openConsole, refused } from "../harness/console-person.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * Runs as people see them in a browser, with a real server, its own agent and real steps. One story: each test goes on
 * from where the one before has left the world.
 */
const bench = openBench(afterAll);
const folder = bench.folder();
const fixed = join(folder, "fixed");
const workflows = "/api/v1/organizations/acme/projects/shop/workflows";
let settings: Record<string, string>;
let server: ServerProcess;
let owner: Api;
let ada: Browser;
/** The run that failed at first, and succeeded after the fix. */
let mended: string;

describe("runs in the console", needs("chromium"), () => {
  beforeAll(async () => {
    // The same address after a restart: a browser's pages belong to one.
    const ports = [await freePort(), await freePort()];
    settings = {
      REEVE_HOME_AGENT: "on",
      REEVE_TRUSTED_PROXIES: "127.0.0.1",
      REEVE_LISTEN: `127.0.0.1:${ports[0]}`,
      REEVE_AGENT_LISTEN: `127.0.0.1:${ports[1]}`,
    };
    server = await startServer(bench, { data: join(folder, "data"), settings });
    owner = await setUp(server.url, server.setupLink);
    await make("/api/v1/organizations/acme/projects", "shop", {});
    ada = await openConsole(bench, server.url);
  });

  test("a failing run is followed, its error is read in the log, and it succeeds from the failed step on after the fix", async () => {
    await make(workflows, "deploy", {
      steps: [
        { name: "prepare", run: `printf '\\033[32mready\\033[0m to go\\n'` },
        {
          name: "check",
          needs: ["prepare"],
          run: `i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo "looked at file $i"; done
test -e ${fixed} || { echo "ERROR: nobody has fixed it" >&2; exit 3; }`,
        },
        { name: "publish", needs: ["check"], run: "echo published" },
      ],
    });
    const { page } = ada;
    await page.goto(`${server.url}/runs`);
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
    const id = await begin("deploy");
    mended = id;
    // The list is live: the run turns up, and its end, without loading anything again.
    const row = page.getByRole("row").filter({ hasText: "deploy" });
    await row.getByText("failed", { exact: true }).waitFor();
    await row.getByRole("link", { name: "deploy" }).click();
    await page.waitForURL(`**/runs/${id}`);
    await page.getByRole("alert").filter({ hasText: "check failed" }).waitFor();
    await node(page, /^prepare: succeeded/).waitFor();
    await node(page, /^publish: skipped/).waitFor();
    // A state is seen by its colour, too.
    const edge = (label: RegExp) =>
      colour(node(page, label).locator("[data-tone]").first(), "borderLeftColor");
    expect(await edge(/^prepare: succeeded/)).toBe("green");
    expect(await edge(/^check: failed/)).toBe("red");
    expect(await edge(/^publish: skipped/)).not.toMatch(/red|green/);
    // What a step has coloured has its colour here, and nothing else has.
    const ready = page.locator("[data-line]").filter({ hasText: "ready to go" });
    expect(await colour(ready.getByText("ready", { exact: true }))).toBe("green");
    expect(await colour(ready.getByText("to go"))).not.toBe("green");

    await page.getByRole("button", { name: "Show its log" }).click();
    await page.getByText("Log of check").waitFor();
    await page.getByText("301 lines").waitFor();
    await page.getByRole("button", { name: "First error" }).click();
    // Where it stands among the lines of stdout is not promised.
    const error = page.locator("[data-chosen][data-stream='stderr']");
    await error.getByText("ERROR: nobody has fixed it").waitFor();
    const line = await error.getAttribute("data-line");
    await page.waitForURL((address) => address.searchParams.get("line") === line);

    // A link to the line leads another window to it.
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.locator(`[data-line='${line}'][data-chosen]`).getByText("nobody has fixed it").waitFor();
    await other.getByLabel("Find in the whole log").fill("FILE 17");
    await other.getByLabel("Find in the whole log").press("Enter");
    await other.getByText("1 of 11").waitFor();
    await other.locator("[data-chosen] mark").waitFor();
    await other.getByRole("button", { name: "Next match" }).click();
    await other.getByText("2 of 11").waitFor();
    // What is sought, and the match that was come to, are in the address.
    await other.waitForURL((address) => address.searchParams.get("find") === "FILE 17");
    const match = await other.locator("[data-chosen]").getAttribute("data-line");
    await other.waitForURL((address) => address.searchParams.get("line") === match);
    await other.reload();
    await other.getByText("2 of 11").waitFor();
    await other.locator(`[data-line='${match}'][data-chosen] mark`).waitFor();
    expect(await other.getByLabel("Find in the whole log").inputValue()).toBe("FILE 17");
    await other.close();

    writeFileSync(fixed, "");
    await page.getByRole("button", { name: "Retry from failed" }).click();
    await node(page, /^publish: succeeded/).waitFor();
    await badge(page, "succeeded").waitFor();
    // The log goes on with the second attempt.
    await page.getByText("601 lines").waitFor();
    expect(await stateOf(id)).toBe("succeeded");

    // Also when it is all over before the window has drawn that it began. A clock that is held is held for every page of
    // its browser, so this is another browser.
    const { page: still } = await openConsole(bench, server.url);
    await still.clock.install();
    await still.goto(page.url());
    await still.getByText("601 lines").waitFor();
    await still.getByText("complete", { exact: true }).waitFor();
    await still.clock.pauseAt(Date.now() + 60_000);
    const again = await owner.call("POST", `/api/v1/runs/${id}/retry`, { body: {} });
    expect(again.status, again.text).toBeLessThan(300);
    await until("its end", async () => (await stateOf(id)) === "succeeded", 60_000);
    await still.clock.resume();
    await still.getByText("901 lines").waitFor();
    await still.close();
  });

  test("the timeline and the table show the attempts, and the address keeps what was chosen", async () => {
    const { page } = ada;
    await page.getByText("Timeline", { exact: true }).click();
    const bar = page.getByRole("button", {
      name: /^check: succeeded; .*attempt 1 failed.*attempt 2 succeeded/,
    });
    await bar.waitFor();
    await bar.click();
    await page.getByRole("heading", { name: "Earlier attempts" }).waitFor();
    expect(page.url()).toContain("view=timeline");
    await page.reload();
    await page.getByRole("region", { name: "Step check" }).waitFor();
    await page.getByText("Table", { exact: true }).click();
    await page.getByRole("table", { name: "Steps" }).getByRole("button", { name: "publish" }).click();
    await page.getByRole("region", { name: "Step publish" }).waitFor();
  });

  test("of a fan-out the items of one state are chosen, small or large, and a link leads to them and to one item's log", async () => {
    const { page } = ada;
    for (const [name, count] of [
      ["small", 3],
      ["large", 101],
    ] as const) {
      await make(workflows, name, {
        steps: [
          {
            name: "each",
            each: Array.from({ length: count }, (_, at) => at),
            run: "echo item ${{ item }}; test ${{ item }} -ne 2",
          },
        ],
      });
      const id = await begin(name);
      await until("its end", async () => (await stateOf(id)) === "failed", 120_000);
      await page.goto(`${server.url}/runs/${id}?step=0`);
      await page.getByRole("button", { name: "1 failed" }).click();
      await page.waitForURL((address) => address.searchParams.get("items") === "failed");
      await page.reload();
      const items = page.getByRole("table", { name: "Steps" });
      await items.getByRole("button", { name: "each[2]" }).waitFor();
      expect(await items.getByRole("row").count()).toBe(2);
      await page.getByRole("button", { name: "1 failed" }).and(page.locator("[aria-pressed=true]")).waitFor();
      await items.getByRole("button", { name: "each[2]" }).click();
      await page.getByRole("region", { name: "Step each[2]" }).waitFor();
      await page.getByText("item 2", { exact: true }).waitFor();
      await page.getByText("1 line", { exact: true }).waitFor();
    }
  });

  test("a run that has succeeded is done over as a whole, and says why it cannot be mended or cancelled", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/runs/${mended}?view=table`);
    await refused(page, "Retry from failed", "All of it succeeded; retry it from the start");
    await refused(page, "Cancel run", "It has ended: succeeded");
    const attempts = async () =>
      (await owner.call("GET", `/api/v1/runs/${mended}/steps`)).body.items.map(
        ({ attempt }: { attempt: number }) => attempt,
      );
    const before = await attempts();
    await page.getByRole("button", { name: "Retry all" }).click();
    const dialog = page.getByRole("dialog", { name: "Do the whole run over?" });
    await dialog.getByRole("button", { name: "Retry all" }).click();
    const once = before.map((attempt: number) => attempt + 1);
    await expect.poll(attempts).toEqual(once);
    const row = page.getByRole("table", { name: "Steps" }).getByRole("row");
    await row
      .filter({ hasText: "publish" })
      .getByRole("cell", { name: String(once[2]), exact: true })
      .waitFor();
    await badge(page, "succeeded").waitFor();
  });

  test("a run that no agent can take says so at once, on its page and in the list", async () => {
    await make(workflows, "stranded", {
      steps: [{ name: "far", selector: "zone=nowhere", run: "echo never" }],
    });
    const id = await begin("stranded");
    const { page } = ada;
    await page.goto(`${server.url}/runs/${id}`);
    const told = page.getByRole("alert").filter({ hasText: "far waits for an agent" });
    await told.getByText(/no connected agent matches zone=nowhere/).waitFor();
    await page.goto(`${server.url}/runs?workflow=stranded`);
    const row = page.getByRole("row").filter({ hasText: "stranded" });
    await row.getByText("waiting", { exact: true }).waitFor();
    await row.getByText("far: waits for an agent").waitFor();
  });

  test("the list of runs is narrowed by its controls to those that fit, and its address says so", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/runs`);
    const rows = page.getByRole("table", { name: "Runs" }).locator("tbody tr");
    const all = ["stranded", "deploy"];
    const names = async () =>
      (await rows.getByRole("link").allTextContents()).filter((one) => all.includes(one));
    await expect.poll(names).toEqual(all);
    const filters = page.getByRole("search", { name: "Which runs" });
    const narrow = async (label: string, option: string, left: readonly string[]) => {
      // By its keys: what is chosen stands in the way of the pointer.
      await filters.getByLabel(label, { exact: true }).press("ArrowDown");
      await page.getByRole("option", { name: option, exact: true }).click();
      await page.keyboard.press("Escape");
      await expect.poll(names).toEqual(left);
    };
    await narrow("State", "succeeded", ["deploy"]);
    expect(new URL(page.url()).search).toBe("?state=succeeded");
    await narrow("State", "running", all);
    await filters.getByLabel("Workflow").fill("stranded");
    await filters.getByLabel("Workflow").press("Enter");
    await expect.poll(names).toEqual(["stranded"]);
    await narrow("Begun within", "Last hour", ["stranded"]);
    await narrow("Cause", "schedule", []);
    await page.getByRole("button", { name: "Show all runs" }).click();
    await expect.poll(names).toEqual(all);
  });

  test("a log is followed through a restart of the server: no line is lost, and none comes twice", async () => {
    const stop = join(folder, "stop");
    await make(workflows, "chatter", {
      steps: [
        {
          name: "talk",
          run: `i=0; while [ ! -e ${stop} ]; do i=$((i+1)); echo "line $i"; sleep 0.02; done; echo end`,
        },
      ],
    });
    const id = await begin("chatter");
    const { page } = ada;
    await page.goto(`${server.url}/runs/${id}?step=0`);
    const box = page.getByLabel("Lines of the log");
    const count = async () => Number(await box.getAttribute("data-count"));
    await until("lines", async () => (await count()) > 50, 60_000);
    await page.getByText("live, following the end").waitFor();

    // Who scrolls away stays there while more comes, until they want the end again.
    const last = async () => Number(await box.locator("[data-line]").last().getAttribute("data-line"));
    await box.hover();
    await page.mouse.wheel(0, -400);
    await page.getByText("live; following is paused").waitFor();
    const left = await last();
    await until("more of it", async () => (await count()) > left + 50, 60_000);
    expect(await last()).toBe(left);
    await page.getByRole("button", { name: "Follow" }).click();
    await page.getByText("live, following the end").waitFor();
    await until("its end", async () => (await last()) > left + 50, 60_000);

    await badge(page, "running").waitFor();
    await server.stop();
    await page
      .getByText(/connection lost/)
      .first()
      .waitFor();
    const banner = page.getByRole("status").filter({ hasText: "The connection is lost" });
    await banner.waitFor();
    const { data } = server;
    const before = await count();
    [server] = await Promise.all([
      startServer(bench, { data, settings }),
      page.getByText("Connected again. What you see is live.").waitFor({ timeout: 150_000 }),
    ]);
    await banner.waitFor({ state: "detached" });
    owner = openApi(server.url, owner.token);
    await until("more lines", async () => (await count()) > before + 20, 60_000);
    writeFileSync(stop, "");
    await page.getByText("complete", { exact: true }).waitFor();
    // The log has a connection of its own: this comes by the window's, which is live again.
    await badge(page, "succeeded").waitFor();
    const lines = await allLines(page);
    expect(lines.at(-1)).toBe("end");
    expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).map((_, at) => `line ${at + 1}`));
    expect(lines.length).toBe(await count());
    // Every byte is what the server has.
    const whole = await owner.call("GET", `/api/v1/runs/${id}/steps/0/logs`);
    expect(lines.join("\n")).toBe(whole.text.trimEnd());
    expect(existsSync(stop)).toBe(true);
    await page.getByRole("button", { name: "Download" }).click();
    const [kept] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("menuitem", { name: "What is shown here" }).click(),
    ]);
    expect(readFileSync(await kept.path(), "utf8")).toBe(whole.text);
  });
});

/** Every line of the log, read as somebody who scrolls through it. */
async function allLines(page: Page): Promise<string[]> {
  const box = page.getByLabel("Lines of the log");
  const lines = new Map<number, string>();
  const count = Number(await box.getAttribute("data-count"));
  await box.hover();
  await page.mouse.wheel(0, -count * 18);
  for (let turns = 0; lines.size < count && turns < count; turns++) {
    await until("the lines to be there", async () => {
      const seen = await box
        .locator("[data-line]")
        .evaluateAll((rows) =>
          rows.map(
            (row) =>
              [Number(row.getAttribute("data-line")), row.lastElementChild?.textContent ?? ""] as const,
          ),
        );
      const ready = seen.length > 0 && seen.every(([, text]) => text !== "…");
      if (ready) for (const [at, text] of seen) lines.set(at, text);
      return ready;
    });
    await page.mouse.wheel(0, 250);
    // It does not wait for the page to move, and two frames later it has.
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }
  return Array.from({ length: count }, (_, at) => lines.get(at + 1) ?? "(missing)");
}

function node(page: Page, label: RegExp) {
  return page.locator(".react-flow__node").and(page.getByLabel(label));
}

interface Styles {
  getComputedStyle(of: unknown): Readonly<Record<string, string>>;
}

/** What it is seen in: its strongest part, or grey where none is much stronger than another. */
async function colour(of: Locator, property = "color"): Promise<"red" | "green" | "blue" | "grey"> {
  const seen = await of.evaluate(
    (one, name) => (globalThis as unknown as Styles).getComputedStyle(one)[name] ?? "",
    property,
  );
  const [red = 0, green = 0, blue = 0] = (seen.match(/\d+/g) ?? []).map(Number);
  const most = Math.max(red, green, blue);
  if (most - Math.min(red, green, blue) < 40) return "grey";
  return most === red ? "red" : most === green ? "green" : "blue";
}

function badge(page: Page, state: string) {
  return page.locator(`header [data-state='${state}']`);
}

async function make(path: string, name: string, spec: object): Promise<void> {
  const made = await owner.call("POST", path, { body: { metadata: { name }, spec } });
  expect(made.status, made.text).toBe(201);
}

async function begin(workflow: string): Promise<string> {
  const begun = await owner.call("POST", `${workflows}/${workflow}/actions/trigger`, { body: {} });
  expect(begun.status, begun.text).toBeLessThan(300);
  return begun.body.run;
}

async function stateOf(id: string): Promise<string> {
  return (await owner.call("GET", `/api/v1/runs/${id}`)).body.state;
}
