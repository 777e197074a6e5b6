import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openApi, password } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** The frame of the console, in a real browser against a real server. */
const bench = openBench(afterAll);
let server: ServerProcess;

describe("the console", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, { settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" } });
    await setUp();
    await fill();
  });

  test("who is not signed in signs in and comes to the address they wanted", async () => {
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    await page.goto(`${server.url}/?scope=acme`);
    await page.waitForURL(/\/sign-in\?to=/);
    await signIn(page);
    await page.waitForURL(`${server.url}/?scope=acme`);
    await page.getByRole("button", { name: "Scope: acme" }).waitFor();
    expect(complaints).toEqual([]);
  });

  test("who signs out in one window signs in again in the other, and comes back to where they were", async () => {
    const { page } = await openBrowser(openBench(onTestFinished));
    await page.goto(`${server.url}/?scope=acme`);
    await signIn(page);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    const opened: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) opened.push(new URL(request.url()).pathname);
    });
    const other = await page.context().newPage();
    await other.goto(server.url);
    await other.getByRole("button", { name: "Account of ada" }).click();
    await other.getByRole("menuitem", { name: "Sign out" }).click();
    // By itself, and once: the server ends its stream, and refuses whatever it asks next.
    await page.waitForURL(/\/sign-in\?to=/);
    expect(opened).toEqual(["/sign-in"]);
    await signIn(page);
    await page.waitForURL(`${server.url}/?scope=acme`);
  });

  test("a part of the installation is chosen in its tree or by name, and the page goes on there", async () => {
    const { page } = await openBrowser(openBench(onTestFinished));
    await page.goto(server.url);
    await signIn(page);
    const from = async (scope: string) => {
      await page.getByRole("button", { name: `Scope: ${scope}` }).click();
      await page.getByRole("option", { name: "Everything" }).waitFor();
    };
    const to = (name: string) => page.getByRole("option", { name, exact: true }).click();
    await from("everything");
    await to("acme");
    await page.waitForURL(`${server.url}/?scope=acme`);
    await from("acme");
    await to("shop");
    await page.waitForURL(`${server.url}/?scope=acme/shop`);
    await from("acme/shop");
    await page.getByLabel("Find a scope").fill("prod");
    const found = page.getByRole("option").filter({ hasText: "/" });
    await expect.poll(() => found.allTextContents()).toEqual(["acme/shop/production"]);
    await to("acme/shop/production");
    await page.waitForURL(`${server.url}/?scope=acme/shop/production`);

    // What is looked at is not in the other part: the others of its kind are shown.
    await page.goto(`${server.url}/organizations/acme/projects/shop/secrets/database`);
    await page.getByRole("heading", { name: "database", level: 1 }).waitFor();
    await from("acme/shop");
    await to("acme");
    await page.waitForURL(`${server.url}/organizations/acme/secrets`);
    await page.getByRole("link", { name: "database" }).waitFor();
    await from("acme");
    await to("other");
    await page.waitForURL(`${server.url}/organizations/acme/projects/other/secrets`);
    await page.getByText("No secret yet").waitFor();
    await from("acme/other");
    await to("Everything");
    await page.waitForURL(`${server.url}/secrets`);
    await page.getByRole("link", { name: "database" }).waitFor();
  });

  test("light or dark is the system's choice until the person has made one, which stays", async () => {
    const { page } = await openBrowser(openBench(onTestFinished));
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(server.url);
    await signIn(page);
    const choose = async (look: string) => {
      await page.getByRole("button", { name: "Account of ada" }).click();
      await page.getByRole("menuitem", { name: look }).click();
    };
    /** Of the page's own ground. */
    const isDark = async () => {
      const ground = (await page.evaluate("getComputedStyle(document.body).backgroundColor")) as string;
      return (ground.match(/\d+/g) ?? []).slice(0, 3).every((part) => Number(part) < 60);
    };
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await isDark()).toBe(false);
    await choose("Dark");
    await expect.poll(isDark).toBe(true);
    await page.reload();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await isDark()).toBe(true);
    await page.emulateMedia({ colorScheme: "dark" });
    await choose("Light");
    await expect.poll(isDark).toBe(false);
    await choose("As the system");
    await expect.poll(isDark).toBe(true);
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(isDark).toBe(false);

    // On a phone the pages are behind a button, and out of the way once one was chosen.
    await page.setViewportSize({ width: 375, height: 812 });
    const runs = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Runs" });
    await runs.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Navigation" }).click();
    await runs.click();
    await page.waitForURL(`${server.url}/runs`);
    await page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
    await runs.waitFor({ state: "hidden" });
  });

  test("an address of ours in the link is followed, another site's is not", async () => {
    const { page } = await openBrowser(openBench(onTestFinished));
    await page.goto(`${server.url}/sign-in?to=//example.org/x`);
    await signIn(page);
    await page.waitForURL(`${server.url}/`);
  });

  test("pages ask no other origin, allow no inline script, and axe finds nothing serious", async () => {
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).origin));
    // Not the overview: the browser leaves that one by itself for this page, and forgets what it was answered.
    const answer = await page.goto(`${server.url}/sign-in`);
    const policy = answer?.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(answer?.headers()).toMatchObject({ "x-frame-options": "DENY", "referrer-policy": "no-referrer" });
    expect(await answer?.text()).not.toMatch(/<script(?![^>]*\ssrc=)|\son\w+=|style="/);
    await page.getByLabel("Name").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await signIn(page);
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([server.url]));
    expect(complaints).toEqual([]);
  });

  test("files of the build are kept for ever, the page never, and programs get no page", async () => {
    const { page } = await openBrowser(openBench(onTestFinished));
    const [script, first] = await Promise.all([
      page.waitForResponse(/\/assets\/.*\.js$/),
      page.goto(server.url),
    ]);
    expect(first?.headers()["cache-control"]).toBe("no-store");
    expect(script.headers()).toMatchObject({
      "cache-control": expect.stringContaining("immutable"),
      "content-encoding": "br",
    });
    for (const path of ["/nothing", "/api/nothing", "/assets/..%2findex.html"])
      expect((await fetch(server.url + path)).status).toBe(404);
  });
});

/** As the person who has just started a server does it: with the link that it printed. */
async function setUp(): Promise<void> {
  const { page, complaints } = await openBrowser(bench);
  await page.goto(server.setupLink ?? "");
  expect(await seriousFindings(page)).toEqual([]);
  await page.getByLabel("Name", { exact: true }).fill("ada");
  await page.getByRole("textbox", { name: "Password", exact: true }).fill(password);
  await page.getByRole("textbox", { name: "Password again" }).fill("something else entirely");
  await page.getByLabel("Organization").fill("acme");
  await page.getByRole("button", { name: "Make the administrator" }).click();
  await page.getByText("The two passwords differ").waitFor();
  await page.getByRole("textbox", { name: "Password again" }).fill(password);
  await page.getByRole("button", { name: "Make the administrator" }).click();
  await page.getByText("ada is the administrator of this installation").waitFor();
  // The token goes from the address once the page is drawn.
  await page.waitForURL(`${server.url}/setup`);
  await page.getByRole("link", { name: "To the console" }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  expect(complaints).toEqual([]);
}

/** What there is to choose between. */
async function fill(): Promise<void> {
  const session = await openApi(server.url).call("POST", "/api/v1/sessions", {
    body: { user: "ada", password },
  });
  const api = openApi(server.url, session.body.token);
  const acme = "/api/v1/organizations/acme/projects";
  for (const path of ["shop", "other", "shop/workspaces/production", "shop/secrets/database"]) {
    const made = await api.call("PUT", `${acme}/${path}`, { body: {} });
    expect(made.status, made.text).toBe(201);
  }
}

async function signIn(page: Browser["page"]): Promise<void> {
  await page.getByLabel("Name").fill("ada");
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}
