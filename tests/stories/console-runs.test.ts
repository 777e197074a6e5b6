import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, openApi, password, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * Runs as people see and steer them in a browser, with a real server, its own agent and real steps. One story: each test goes on
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
    await make("/api/v1/users", "bob", {});
    await owner.call("POST", "/api/v1/users/bob/actions/set-password", { body: { password } });
    await make("/api/v1/organizations/acme/rolebindings", "bob-views", {
      role: "viewer",
      subject: { kind: "User", name: "bob" },
    });
    ada = await openBrowser(bench);
    await signIn(ada.page, "ada");
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
    // The list is live: the run turns up, and its end, without loading anything again.
    const row = page.getByRole("row").filter({ hasText: "deploy" });
    await row.getByText("failed", { exact: true }).waitFor();
    await row.getByRole("link", { name: "deploy" }).click();
    await page.waitForURL(`**/runs/${id}`);
    await page.getByRole("alert").filter({ hasText: "check failed" }).waitFor();
    await node(page, /^prepare: succeeded/).waitFor();
    await node(page, /^publish: skipped/).waitFor();

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
    await other.close();

    writeFileSync(fixed, "");
    await page.getByRole("button", { name: "Retry from failed" }).click();
    await node(page, /^publish: succeeded/).waitFor();
    await badge(page, "succeeded").waitFor();
    // The log goes on with the second attempt.
    await page.getByText("601 lines").waitFor();
    expect(await stateOf(id)).toBe("succeeded");

    // Also when it is all over before the window has drawn that it began.
    const still = await page.context().newPage();
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

  test("axe finds nothing serious on the list and on a run, however it is shown", async () => {
    const { page } = ada;
    const run = new URL(page.url()).pathname;
    const found: string[] = [];
    for (const at of [
      "/runs",
      `${run}?step=1`,
      `${run}?view=timeline`,
      `${run}?view=table`,
      `${run}?tab=values`,
    ]) {
      await page.goto(server.url + at);
      await page
        .locator(at === "/runs" ? "table" : "[data-state='succeeded']")
        .first()
        .waitFor();
      found.push(...(await seriousFindings(page)).map((finding) => `${at}: ${finding}`));
    }
    expect(found).toEqual([]);
  });

  test("two windows show one change at once, and a step is approved in one of them", async () => {
    await make(workflows, "release", {
      steps: [
        { name: "ask", approve: { text: "Is the release announced?" } },
        { name: "ship", needs: ["ask"], run: "echo shipped" },
      ],
    });
    const { page } = ada;
    // The overview says that somebody is needed, live, and leads to the step.
    await page.goto(`${server.url}/`);
    const activity = page.getByRole("table", { name: "Recent activity" });
    await activity.getByText("Workflow release").waitFor();
    const id = await begin("release");
    const asked = page.getByRole("link", { name: /ask of release waits for an approval/ });
    await asked.getByText("Is the release announced?").waitFor();
    expect(await asked.getByText("Not for you to do").count()).toBe(0);
    await activity.getByRole("row").filter({ hasText: "Run of release" }).getByText("waiting").waitFor();
    const other = await page.context().newPage();
    await asked.click();
    await page.waitForURL(`**/runs/${id}?step=0`);
    await other.goto(`${server.url}/runs/${id}`);
    for (const window of [page, other]) {
      await window.getByText("ask waits for an approval").waitFor();
      await window.getByText("Is the release announced?").first().waitFor();
    }
    await page.getByRole("alert").getByRole("button", { name: "Approve" }).click();
    await page.getByLabel("Note (optional)").fill("announced on Monday");
    await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    for (const window of [page, other]) {
      await badge(window, "succeeded").waitFor();
      await node(window, /^ship: succeeded/).waitFor();
      expect(await window.getByText("ask waits for an approval").count()).toBe(0);
    }
    await other.getByRole("tab", { name: "Events" }).click();
    await other.getByRole("cell", { name: /announced on Monday/ }).waitFor();
    await other.close();
  });

  test("who has no rights sees the actions, disabled, each with its reason", async () => {
    const id = await begin("release");
    const bob = await openBrowser(bench);
    await signIn(bob.page, "bob");
    await bob.page
      .getByRole("link", { name: /ask of release waits for an approval/ })
      .getByText("Not for you to do: you need runs:approve in acme/shop.")
      .waitFor();
    await bob.page
      .getByRole("table", { name: "Recent activity" })
      .getByText("Run of release")
      .first()
      .waitFor();
    await bob.page.goto(`${server.url}/runs/${id}`);
    const { page } = bob;
    await page.getByText("ask waits for an approval").waitFor();
    const refused = async (name: string, reason: RegExp) => {
      const button = page.getByRole("button", { name, exact: true }).first();
      await expect.poll(() => button.getAttribute("aria-disabled"), { message: name }).toBe("true");
      await button.hover();
      await page.getByRole("tooltip").filter({ hasText: reason }).waitFor();
      await page.mouse.move(0, 0);
      await page.getByRole("tooltip").waitFor({ state: "detached" });
    };
    await refused("Approve", /You need runs:approve in acme\/shop/);
    await refused("Cancel run", /You need runs:cancel in acme\/shop/);
    // What the run itself forbids comes first, for everybody.
    await refused("Retry all", /It has not ended; cancel it first/);
    await page.getByRole("button", { name: "Approve" }).first().click({ force: true });
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(bob.complaints).toEqual([]);
    await ada.page.goto(`${server.url}/runs/${id}`);
    await ada.page.getByRole("button", { name: "Cancel run" }).click();
    await ada.page.getByRole("dialog").getByRole("button", { name: "Cancel run" }).click();
    await badge(page, "cancelled").waitFor();
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

    await server.stop();
    await page
      .getByText(/connection lost/)
      .first()
      .waitFor();
    const { data } = server;
    const before = await count();
    server = await startServer(bench, { data, settings });
    owner = openApi(server.url, owner.token);
    await until("more lines", async () => (await count()) > before + 20, 60_000);
    writeFileSync(stop, "");
    await page.getByText("complete", { exact: true }).waitFor({ timeout: 90_000 });
    const lines = await allLines(page);
    expect(lines.at(-1)).toBe("end");
    expect(lines.slice(0, -1)).toEqual(lines.slice(0, -1).map((_, at) => `line ${at + 1}`));
    expect(lines.length).toBe(await count());
    // Every byte is what the server has.
    const whole = await owner.call("GET", `/api/v1/runs/${id}/steps/0/logs`);
    expect(lines.join("\n")).toBe(whole.text.trimEnd());
    expect(existsSync(stop)).toBe(true);
  });

  test("nothing broke a rule of the page on the way", () => {
    const lost =
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_NETWORK/;
    expect(ada.complaints.filter((said) => !lost.test(said))).toEqual([]);
  });
});

async function signIn(page: Page, user: string): Promise<void> {
  await page.goto(`${server.url}/sign-in`);
  await page.getByLabel("Name").fill(user);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Runs", exact: true }).waitFor();
}

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
  }
  return Array.from({ length: count }, (_, at) => lines.get(at + 1) ?? "(missing)");
}

function node(page: Page, label: RegExp) {
  return page.locator(".react-flow__node").and(page.getByLabel(label));
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
