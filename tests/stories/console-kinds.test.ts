import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveGit, testRepository } from "../../core/git/testing.ts";
import { needs } from "../../tools/components.ts";
import { type Api, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { write } from "../harness/console-editor.ts";
import { addViewer, focused, openConsole, refused, seek, tabTo } from "../harness/console-person.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";

/** The pages that every kind has, in a real browser against a real server. Channels and quotas have no page of their own. */
const bench = openBench(afterAll);
const shop = "/organizations/acme/projects/shop";
let server: ServerProcess;
let api: Api;
let ada: Browser;
let eve: Browser;

async function put(path: string, body: object): Promise<void> {
  const answer = await api.call("PUT", `/api/v1${path}`, { body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

async function read(path: string) {
  return (await api.call("GET", `/api/v1${path}`)).body;
}

async function open(path: string, { page } = ada): Promise<Page> {
  await page.goto(server.url + path);
  return page;
}

type Page = Browser["page"];

const heading = (page: Page, name: string) => page.getByRole("heading", { name, level: 1, exact: true });
const button = (page: Page | Locator, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const quota = (projects: number) => ({ spec: { limits: { projects } } });

describe("the pages of any kind", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, {
      // Its agent fetches what a Source names.
      settings: { REEVE_HOME_AGENT: "on", REEVE_TRUSTED_PROXIES: "127.0.0.1" },
    });
    api = await setUp(server.url, server.setupLink);
    await put(shop, {});
    await addViewer(api, "eve", "");
    ada = await openConsole(bench, server.url, { path: "/?scope=acme/shop" });
    eve = await openConsole(bench, server.url, { user: "eve" });
  });

  test("a kind that no page was written for is listed, made by form, and shown", async () => {
    const { page } = ada;
    await page.getByRole("button", { name: "More kinds" }).click();
    await page.getByRole("link", { name: "Channel" }).click();
    await page.getByText("No channels in acme/shop yet").waitFor();
    await button(page, "Create a channel").click();
    await heading(page, "Create a channel").waitFor();
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("ops");
    await page.getByText("email", { exact: true }).click();
    await page.getByLabel("host").fill("mail.example.com");
    await page.getByLabel("from").fill("nonsense");
    await page.getByPlaceholder("type one and press Enter").fill("ops@example.com");
    await page.keyboard.press("Enter");
    // The server's own words, at the field that they are about.
    await page.getByText("write an address such as ops@example.com").first().waitFor();
    await page.getByLabel("from").fill("reeve@example.com");
    await button(page, "Review and create").click();
    const review = page.getByRole("dialog", { name: "Create this Channel?" });
    await review.getByText("tls: starttls").waitFor();
    await review.getByLabel("Why").fill("people must hear of it");
    await button(review, "Create").click();
    await page.waitForURL(`${server.url}${shop}/channels/ops`);
    await page.getByText("reeve@example.com").waitFor();
    // How old what is known is, also where it is not told in conditions.
    await page.getByText(/^Observed (now|\d+[smh] ago)/).waitFor();
    expect((await read(`${shop}/channels/ops`)).spec).toMatchObject({
      type: "email",
      to: ["ops@example.com"],
    });
    expect((await read(`${shop}/channels/ops/history`)).items[0].reason).toBe("people must hear of it");
    await page.getByRole("link", { name: "Channels" }).click();
    // What others make appears by itself.
    await page.getByRole("table", { name: "Channels" }).getByText("ops", { exact: true }).waitFor();
    await put(`${shop}/channels/later`, { spec: { type: "slack", url: "https://chat.example.com/x" } });
    await page.getByRole("link", { name: "later" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("a list is narrowed by labels and by name, and its address says so", async () => {
    await put("/organizations/acme/groups/web", { metadata: { labels: { team: "web" } } });
    await put("/organizations/acme/groups/data", { metadata: { labels: { team: "data" } } });
    const page = await open("/organizations/acme/groups?labels=team%3Dweb");
    await page.getByRole("link", { name: "web", exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "data", exact: true }).count()).toBe(0);
    await page.getByRole("combobox", { name: "Select by labels" }).fill("team in (data");
    await page
      .getByText(/is not a selector|cannot|expected/i)
      .first()
      .waitFor();
    await page.getByRole("combobox", { name: "Select by labels" }).fill("team=data");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "data", exact: true }).waitFor();
    expect(page.url()).toContain("labels=team");
    await page.getByLabel("Find by name").fill("nobody");
    await page.getByText("Nothing fits").waitFor();
  });

  test("YAML is completed, corrected and compared before it is applied", async () => {
    await put("/organizations/acme/quotas/plan", quota(10));
    const page = await open("/edit/organizations/acme/quotas/plan?as=yaml");
    await write(page, (text) => text.replace("projects: 10", "projects: many"));
    await page.getByText("projects: expected a number").waitFor();
    await write(page, (text) => text.replace("projects: many", "planets: 3"));
    // No schema knows this; the server does.
    await page
      .getByText(/planets/)
      .nth(1)
      .waitFor();
    await write(page, (text) => text.replace("planets: 3", "projects: 12"));
    await page.getByText("The server would take it.").waitFor();
    await page.keyboard.press("Control+End");
    await page.keyboard.insertText("\n  de");
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /description/ }).click();
    await page.keyboard.insertText("for the small plan");
    await page.getByText("The server would take it.").waitFor();
    await button(page, "Review changes").click();
    const review = page.getByRole("dialog", { name: "Apply these changes?" });
    await review.getByText("projects: 10").waitFor();
    await review.getByText("projects: 12").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await button(review, "Apply").click();
    await page.waitForURL(`${server.url}/organizations/acme/quotas/plan`);
    expect((await read("/organizations/acme/quotas/plan")).spec).toEqual({
      description: "for the small plan",
      limits: { projects: 12 },
    });
  });

  test("who was slower sees what the other changed, and both can be kept", async () => {
    await put("/organizations/acme/groups/both", { spec: { description: "old" } });
    const page = await open("/edit/organizations/acme/groups/both?as=yaml");
    await write(page, (text) => text.replace("description: old", "description: mine"));
    await page.getByText("The server would take it.").waitFor();
    await put("/organizations/acme/groups/both", {
      metadata: { labels: { team: "theirs" } },
      spec: { description: "old", members: [{ kind: "User", name: "ada" }] },
    });
    await page.getByText("Somebody else has changed this since you began").waitFor();
    await button(page, "Review changes").click();
    await button(page, "Apply").click();
    const conflict = page.getByRole("dialog", { name: "This Group was changed meanwhile" });
    await conflict.getByText("user:ada").waitFor();
    await conflict.getByText("team: theirs").waitFor();
    await conflict.getByText("Your changes are at other places").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect((await read("/organizations/acme/groups/both")).spec.description).toBe("old");
    await button(conflict, "Keep both").click();
    await page.getByText("The server would take it.").waitFor();
    await button(page, "Review changes").click();
    await button(page, "Apply").click();
    await page.waitForURL(`${server.url}/organizations/acme/groups/both`);
    expect(await read("/organizations/acme/groups/both")).toMatchObject({
      metadata: { labels: { team: "theirs" } },
      spec: { description: "mine", members: [{ kind: "User", name: "ada" }] },
    });
  });

  test("every generation can be compared and brought back", async () => {
    for (const projects of [1, 2, 3]) await put("/organizations/acme/quotas/steps", quota(projects));
    const page = await open("/organizations/acme/quotas/steps?tab=history");
    await page.getByRole("heading", { name: "From 2 to 3" }).waitFor();
    await page.getByLabel("Compare from generation 1").check();
    await page.getByRole("heading", { name: "From 1 to 3" }).waitFor();
    expect(page.url()).toContain("from=1");
    expect(await seriousFindings(page)).toEqual([]);
    const first = page.getByRole("row", { name: /generation 1/ });
    await button(first, "Roll back").click();
    const dialog = page.getByRole("dialog", { name: "Roll back to generation 1?" });
    await dialog.getByLabel("Why").fill("three were too many");
    await button(dialog, "Roll back").click();
    await page.getByRole("heading", { name: "From 1 to 4" }).waitFor();
    await page.getByText("three were too many").waitFor();
    expect((await read("/organizations/acme/quotas/steps")).spec.limits.projects).toBe(1);
    const seen = await open("/organizations/acme/quotas/steps?tab=history", eve);
    await refused(seen, "Roll back", "You need quotas:update in");
    await refused(seen, "Pause", "You need quotas:update in");
    await refused(seen, "Delete", "You need quotas:delete in");
  });

  test("what was observed is told with its age, why it is so, what belongs to it and what has happened", async () => {
    const keep = (end: () => void) => bench.keep({ end });
    const repository = testRepository(keep);
    const { url } = await serveGit(repository.root, keep);
    repository.push({ "flows/hello.workflow.yaml": hello });
    const path = `${shop}/sources/flows`;
    const source = (from: string) => put(path, { spec: { git: { url: from, path: "flows" }, every: "1h" } });
    await source(`${url}.not`);
    const page = await open(path);
    const conditions = page.getByRole("table", { name: "Conditions" });
    await conditions.getByRole("row", { name: /^Synced no FetchFailed .*not found/ }).waitFor();
    const observedAt = () =>
      page
        .getByText(/^Observed /)
        .locator("time")
        .getAttribute("datetime");
    await expect.poll(async () => (await observedAt()) === (await read(path)).status.observedAt).toBe(true);
    const part = (title: string) =>
      page.locator("section").filter({ has: page.getByRole("heading", { name: title }) });
    const why = part("Why it is so");
    await why.getByText((await read(`${path}/why`)).look.why).waitFor();
    await why.getByText(/^Looked (now|\S+ ago) by .*Looks again in /).waitFor();
    await part("Belongs together").getByText("nothing belongs to it").waitFor();

    await source(url);
    await conditions.getByRole("row", { name: /^Synced yes UpToDate/ }).waitFor();
    const tree = part("Belongs together").getByRole("listitem");
    await tree
      .filter({ hasText: "flows" })
      .getByRole("listitem")
      .getByRole("link", { name: /hello/ })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("tab", { name: "Events" }).click();
    const failed = page
      .getByRole("table", { name: "Events" })
      .getByRole("row", { name: /FetchFailed.*not found/ });
    await failed.getByLabel("Warning").waitFor();
    await page.getByRole("tab", { name: "Overview" }).click();
    await tree.getByRole("link", { name: /hello/ }).last().click();
    await page.waitForURL(`${server.url}${shop}/workflows/hello`);
  });

  test("a deletion tells what needs the resource and is refused, and says what goes along", async () => {
    await put(`${shop}/secrets/db`, {});
    const password = { secretRef: { name: "db", key: "password" } };
    await put(`${shop}/connections/db`, {
      spec: { type: "postgres", host: "db.example.com", database: "shop", user: "shop", password },
    });
    const page = await open(`${shop}/secrets/db`);
    await button(page, "Delete").click();
    const dialog = page.getByRole("dialog", { name: "Delete Secret db?" });
    await dialog.getByText("is in use by Connection acme/shop/db").waitFor();
    expect(await button(dialog, "Delete").isDisabled()).toBe(true);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}${shop}`);
    await button(page, "Delete").click();
    await page.getByText(/This goes with it: .*1 Connection.*1 Secret/).waitFor();
    expect((await read(`${shop}/secrets/db`)).metadata.name).toBe("db");
  });

  test("an action asks for its input by form, hides what is secret, and who may not act is told why", async () => {
    const path = "/identityproviders/corporate";
    await put(path, { spec: { issuer: "https://id.example.com", clientId: "reeve" } });
    const page = await open(path);
    await button(page, "Set secret").click();
    const dialog = page.getByRole("dialog", { name: "Set secret corporate" });
    const secret = dialog.getByRole("textbox", { name: "secret" });
    expect(await secret.getAttribute("type")).toBe("password");
    await secret.fill("s3cret");
    await button(dialog, "Set secret").click();
    await page.getByText("secretSetAt").waitFor();
    expect((await read(path)).status.secretSetAt).toBeTruthy();
    const seen = await open(path, eve);
    await refused(seen, "Set secret", "You need identityproviders:set-secret in the installation");
    await refused(seen, "Edit", "You need identityproviders:update in the installation");
    expect(await seriousFindings(seen)).toEqual([]);
  });

  test("what a resource's page can do is found in the palette by its words, asks the same, and is refused for the same reason", async () => {
    const path = "/identityproviders/corporate";
    const page = await open(path);
    await heading(page, "corporate").waitFor();
    const before = (await read(path)).status.secretSetAt;
    const palette = await seek(page, "set secret");
    await button(palette, /^Set secret/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Set secret corporate" });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toContain("input secret");
    await page.keyboard.type("another s3cret");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(async () => (await read(path)).status.secretSetAt).not.toBe(before);

    await seek(page, "pause corporate");
    await page.keyboard.press("Enter");
    await button(page, "Resume").waitFor();
    expect((await read(path)).metadata.paused).toBe(true);
    // Its name alone finds the resource, and nothing to do to it.
    await button(await seek(page, "corporate"), /IdentityProvider in/).waitFor();
    expect(await button(palette, /^Delete/).count()).toBe(0);
    await page.keyboard.press("Escape");
    await seek(page, "delete");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Delete IdentityProvider corporate?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    for (const kind of ["channel", "service"]) {
      await seek(page, `new ${kind}`);
      await page.keyboard.press("Enter");
      await heading(page, `Create a ${kind}`).waitFor();
    }

    const seen = await open(path, eve);
    await heading(seen, "corporate").waitFor();
    const why = "You need identityproviders:set-secret in the installation";
    const refusedThere = (await seek(seen, "set secret")).getByRole("button", { name: why });
    await refusedThere.and(seen.locator("[aria-disabled=true]")).waitFor();
    expect(await seriousFindings(seen)).toEqual([]);
    await seen.keyboard.press("Enter");
    await refusedThere.waitFor();
    expect(await seen.getByRole("dialog", { name: "Set secret corporate" }).count()).toBe(0);
  });

  test("any resource is paused and resumed, and without a mouse: a list, a row, a dialog and back", async () => {
    const page = await open("/organizations/acme/quotas");
    await page.getByRole("link", { name: "steps" }).waitFor();
    await tabTo(page, "a plan");
    await page.keyboard.press("ArrowDown");
    expect(await focused(page)).toBe("a steps");
    await page.keyboard.press("Enter");
    await heading(page, "steps").waitFor();
    const paused = async () => (await read("/organizations/acme/quotas/steps")).metadata.paused ?? false;
    await tabTo(page, "button Pause");
    await page.keyboard.press("Enter");
    await button(page, "Resume").waitFor();
    expect(await paused()).toBe(true);
    // It is the same button, and keeps the focus.
    await expect.poll(() => focused(page)).toBe("button Resume");
    await page.keyboard.press("Enter");
    await button(page, "Pause").waitFor();
    expect(await paused()).toBe(false);

    await tabTo(page, "button Delete");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete Quota steps?" });
    await dialog.getByText("Nothing belongs to it").waitFor();
    // What cannot be undone is not what the next Enter does.
    await expect.poll(() => focused(page)).toBe("button Cancel");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    expect(await focused(page)).toBe("button Delete");
    await page.keyboard.press("Enter");
    await dialog.getByText("Nothing belongs to it").waitFor();
    await expect.poll(() => focused(page)).toBe("button Cancel");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(`${server.url}/organizations/acme/quotas`);
    await page.getByRole("link", { name: "steps" }).waitFor({ state: "detached" });
    expect((await api.call("GET", "/api/v1/organizations/acme/quotas/steps")).status).toBe(404);
  });
});

const hello = `apiVersion: reeve/v1
kind: Workflow
metadata: { name: hello }
spec: { steps: [{ name: say, run: echo hello }] }
`;
