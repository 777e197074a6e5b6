import { join } from "node:path";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, openApi, password, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { bareEnvironment, run } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * Who may what, and what is kept secret, in a real browser against a real server. One story: each test goes on from where the one
 * before has left the world, and the audit at its end tells of all of it.
 */
const bench = openBench(afterAll);
let server: ServerProcess;
let owner: Api;
let ada: Browser;

type Page = Browser["page"];

describe("access in the console", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, { settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" } });
    owner = await setUp(server.url, server.setupLink);
    ada = await openBrowser(bench);
    await signIn(ada.page, "ada");
  });

  test("an owner invites a person, who signs in and is told why buttons do not work", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/organizations/acme/invitations`);
    await page.getByRole("button", { name: "Invite somebody" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Invite somebody to acme" });
    await dialog.getByLabel("E-mail").fill("grace@example.com");
    await dialog.getByRole("button", { name: "Make the link" }).click();
    const link = await shownOnce(page, "The invitation");
    expect(link).toMatch(/\/invitation#reeve_invitation_/);
    await page.getByText("open", { exact: true }).waitFor();

    const accepted = await openApi(server.url).call("POST", "/api/v1/invitations/accept", {
      body: { token: link.split("#")[1], user: "grace", password },
    });
    expect(accepted.status, accepted.text).toBe(201);
    // Without anybody loading the page again.
    await page.getByText("accepted by grace").waitFor();

    const grace = await openBrowser(openBench(onTestFinished));
    await signIn(grace.page, "grace");
    await grace.page.goto(`${server.url}/organizations/acme/hosts`);
    await refusal(grace.page, "Join a machine", "You need jointokens:issue in acme");
    await grace.page.goto(`${server.url}/organizations/acme/secrets`);
    await refusal(grace.page, "New secret", "You need secrets:create in acme");
    await grace.page.goto(`${server.url}/organizations/acme/rolebindings`);
    await refusal(grace.page, "Give a role", "You need rolebindings:create in acme");
    await refusal(grace.page, "Take back", "You need rolebindings:delete in acme");
    expect(grace.complaints).toEqual([]);
  });

  test("a token is shown when it is issued, works, and is never shown again", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/tokens`);
    await page.getByRole("button", { name: "New token" }).first().click();
    await page.getByRole("dialog").getByLabel("Name").fill("laptop");
    await page.getByRole("button", { name: "Issue it" }).click();
    const secret = await shownOnce(page, "The new token");
    const me = await openApi(server.url, secret).call("GET", "/api/v1/whoami");
    expect(me.body.subject.name).toBe("ada");
    await page.getByRole("link", { name: "laptop" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "laptop" }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test("a machine joins by the dialog's command and is seen to connect, is drained and let in no more", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/organizations/acme/hosts`);
    await page.getByRole("button", { name: "Join a machine" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Join a machine to acme" });
    await dialog.getByLabel("Names").fill("edge-*");
    await dialog.getByLabel("Labels").fill("zone=a");
    await dialog.getByRole("button", { name: "Show the command" }).click();
    const command = (await dialog.getByRole("button", { name: /^Copy / }).textContent()) ?? "";
    expect(command).toMatch(/^curl -fsS http\S+\/agent\/install\.sh \| sh -s -- --token rjt_\S+$/);
    await dialog.getByText("waiting for a machine to join").waitFor();

    const prefix = bench.folder();
    const line = `${command} --prefix ${prefix} --name edge-1`;
    const installing = run("sh", ["-c", line], { cwd: prefix, env: bareEnvironment });
    expect(await installing.ended, installing.stderr()).toMatchObject({ code: 0 });
    await dialog.getByRole("link", { name: "edge-1" }).waitFor();
    const home = join(prefix, "var/lib/reeve-agent");
    const program = join(prefix, "usr/local/bin/reeve-agent");
    const agent = run(program, ["run", "--data", home], { cwd: prefix, env: bareEnvironment });
    bench.keep({ end: () => agent.kill("SIGTERM"), killNow: () => agent.kill("SIGKILL") });
    await dialog.getByText("connected").waitFor();
    await dialog.getByRole("button", { name: "Close", exact: true }).last().click();

    const row = page.getByRole("table", { name: "Hosts" }).getByRole("row", { name: /edge-1/ });
    await row.getByText("zone=a").waitFor();
    const heard = async () => (await row.locator("time").getAttribute("datetime")) ?? "";
    const before = await heard();
    await until("its next heartbeat to be seen", async () => (await heard()) > before);

    const spec = { steps: [{ name: "nap", selector: "zone=a", run: "sleep 600" }] };
    await owner.call("PUT", "/api/v1/organizations/acme/workflows/night", { body: { spec } });
    await owner.call("POST", "/api/v1/organizations/acme/workflows/night/actions/trigger", { body: {} });
    await row.getByText(/^1 of \d+$/).waitFor();
    await row.getByRole("link", { name: "edge-1" }).click();
    await page.getByRole("row", { name: /nap Workflow\/night/ }).waitFor();
    await page.getByRole("button", { name: "Drain" }).click();
    await page.getByText("connected, drained").waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Drain" }).waitFor();
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("revoked", { exact: true }).waitFor();
    expect(await agent.ended, agent.stderr()).toMatchObject({ code: 3 });
  });

  test("a secret is set and never seen again, by nobody and in no answer", async () => {
    const { page } = ada;
    const value = "a value that nobody reads back";
    const answers: string[] = [];
    const keep = async (text: Promise<string>) => void answers.push(await text.catch(() => ""));
    page.on("response", (answer) => {
      const streams = /event-stream/.test(answer.headers()["content-type"] ?? "");
      if (!streams) void keep(answer.text());
    });
    await page.goto(`${server.url}/organizations/acme/secrets`);
    await page.getByRole("button", { name: "New secret" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New secret in acme" });
    await dialog.getByLabel("Name").fill("database");
    await dialog.getByLabel("Key 1").fill("password");
    await dialog.getByLabel("Value of password").fill(value);
    await dialog.getByRole("button", { name: "Keep it" }).click();
    await page.waitForURL(`${server.url}/organizations/acme/secrets/database`);
    await page.getByRole("row", { name: /password set/ }).waitFor();
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByRole("dialog").getByLabel("Value of password").fill(`${value}, again`);
    await page.getByRole("dialog").getByRole("button", { name: "Set", exact: true }).click();
    await page.getByRole("button", { name: "Use 1 again" }).waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await refusal(page, "Use 2 again", "It is the one in use");
    for (const tab of ["YAML", "Events", "History", "Overview"])
      await page.getByRole("tab", { name: tab }).click();
    expect(await page.content()).not.toContain(value);
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.filter((text) => text.includes(value))).toEqual([]);
  });

  test("why somebody may do something is told by its binding, and what would let them when they may not", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/access/why?scope=acme&subject=user:grace&kind=Secret&verb=reveal`);
    await page.getByText("user:grace may not reveal Secret in acme.").waitFor();
    await page.getByRole("link", { name: "owner" }).waitFor();
    await page.getByRole("combobox", { name: "do" }).click();
    await page.getByRole("option", { name: "read" }).click();
    await page.getByText("user:grace may read Secret in acme.").waitFor();
    await page.getByText("written by user:grace").waitFor();
  });

  test("the audit tells of all of it, live, and can be proven", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/audit`);
    const told = ["issue Invitation", "accept User grace", "issue Token laptop", "join Host edge-1"];
    for (const text of [...told, "revoke Host edge-1", "set Secret database"])
      await page.getByRole("cell", { name: text }).first().waitFor();
    await owner.call("PUT", "/api/v1/organizations/acme/projects/live", { body: {} });
    await page.getByRole("cell", { name: "apply Project live" }).waitFor();
    await page.goto(`${server.url}/audit?outcome=denied`);
    await page.getByText("No record fits").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Intact", { exact: true }).waitFor();
    expect(ada.complaints).toEqual([]);
  });

  test.each([
    "/organizations/acme/hosts",
    "/organizations/acme/hosts/edge-1",
    "/organizations/acme/secrets",
    "/organizations/acme/secrets/database",
    "/organizations/acme/roles",
    "/organizations/acme/rolebindings",
    "/organizations/acme/invitations",
    "/tokens",
    "/users/grace?tab=roles",
    "/access/why",
    "/audit",
    "/settings",
    "/about",
  ])("axe finds nothing serious at %s", async (path) => {
    const { page } = ada;
    await page.goto(server.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.locator(".mantine-Loader-root, [aria-busy=true]").first().waitFor({ state: "detached" });
    expect(await seriousFindings(page)).toEqual([]);
  });
});

async function signIn(page: Page, user: string): Promise<void> {
  await page.goto(`${server.url}/sign-in`);
  await page.getByLabel("Name").fill(user);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Overview" }).waitFor();
}

/** The text of a dialog that shows one once; it is gone from the page when the dialog is closed. */
async function shownOnce(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole("dialog", { name: title });
  const text = (await dialog.getByRole("button", { name: /^Copy / }).textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await page.content()).not.toContain(text);
  return text;
}

/** The button is there, does nothing, and says why. */
async function refusal(page: Page, name: string, why: string): Promise<void> {
  const button: Locator = page.getByRole("button", { name }).first();
  await button.and(page.locator("[aria-disabled=true]")).waitFor();
  await button.focus();
  await button.hover();
  await page.getByRole("tooltip", { name: why }).waitFor();
}
