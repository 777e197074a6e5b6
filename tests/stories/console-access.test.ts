import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type Api, openApi, password, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { focused, openConsole, refused } from "../harness/console-person.ts";
import { bareEnvironment, run } from "../harness/processes.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * Who may what, in a real browser against a real server. One story: each test goes on from where the one
 * before has left the world, and the audit at its end tells of all of it.
 */
const bench = openBench(afterAll);
let server: ServerProcess;
let owner: Api;
let ada: Browser;
let grace: Browser;

type Page = Browser["page"];

describe("access in the console", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, { settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" } });
    owner = await setUp(server.url, server.setupLink);
    ada = await openConsole(bench, server.url);
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

    grace = await openConsole(bench, server.url, { user: "grace", path: "/organizations/acme/rolebindings" });
    await refused(grace.page, "Give a role", "You need rolebindings:create in acme");
    await refused(grace.page, "Take back", "You need rolebindings:delete in acme");
    await grace.page.goto(`${server.url}/organizations/acme/hosts`);
    await refused(grace.page, "Join a machine", "You need jointokens:issue in acme");
  });

  test("a token is shown when it is issued, works, is never shown again, and is issued anew", async () => {
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
    await page.getByRole("link", { name: "laptop" }).click();
    await page.getByRole("heading", { name: "laptop", level: 1 }).waitFor();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("button", { name: "Issue", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Issue laptop" });
    await dialog.getByRole("button", { name: "Issue", exact: true }).click();
    await dialog.getByText("Shown once").waitFor();
    const anew = (await dialog.getByText(/^reeve_t_/).textContent()) ?? "";
    // Neither Escape nor a click beside it takes away what is shown once.
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(anew);
    const answers = [secret, anew].map((one) => openApi(server.url, one).call("GET", "/api/v1/whoami"));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([401, 200]);
  });

  test("a token is made for less: for a scope and for what was chosen", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/tokens`);
    await page.getByRole("button", { name: "New token" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New token" });
    await dialog.getByLabel("Name").fill("deploys");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("combobox", { name: "Within" }).fill("acm");
    await page.getByRole("option", { name: "acme", exact: true }).click();
    for (const permission of ["workflows:trigger", "runs:read"]) {
      await dialog.getByRole("combobox", { name: "Allows" }).fill(permission);
      await page.getByRole("option", { name: permission, exact: true }).click();
    }
    // The list of permissions closes with the focus, and Enter sends the form.
    await dialog.getByLabel("Name").press("Enter");
    const secret = await shownOnce(page, "The new token");
    const { body } = await openApi(server.url, secret).call("GET", "/api/v1/whoami");
    expect(body.via.narrowed).toEqual({ within: "acme", allows: ["runs:read", "workflows:trigger"] });
    const row = page.getByRole("table", { name: "Tokens" }).getByRole("row", { name: /deploys/ });
    await row.getByText("workflows:trigger and 1 more").waitFor();
    await row.getByRole("cell", { name: "acme", exact: true }).waitFor();
  });

  test("a role is made of what was chosen; who may not make one is told", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/organizations/acme/roles`);
    await page.getByRole("button", { name: "New role" }).click();
    const dialog = page.getByRole("dialog", { name: "New role in acme" });
    await expect.poll(() => focused(page)).toBe("input Name");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByLabel("Name").fill("deployer");
    await dialog.getByRole("combobox", { name: "Allows" }).fill("workflows:trigger");
    await page.getByRole("option", { name: "workflows:trigger", exact: true }).click();
    // The list of permissions closes with the focus, and Enter sends the form.
    await dialog.getByLabel("Name").press("Enter");
    await page.getByRole("link", { name: "deployer" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    expect((await read("/organizations/acme/roles/deployer")).spec).toEqual({
      allows: ["*:read", "workflows:trigger"],
    });
    // A name that is taken is told in the dialog, which stays.
    await page.getByRole("button", { name: "New role" }).click();
    await dialog.getByLabel("Name").fill("deployer");
    await dialog.getByRole("button", { name: "Make the role" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await grace.page.goto(`${server.url}/organizations/acme/roles`);
    await refused(grace.page, "New role", "You need roles:create in acme");
  });

  test("a role is given to a person, who may do at once what it allows, and is taken back", async () => {
    const { page } = ada;
    const why = grace.page;
    await why.goto(`${server.url}/access/why?scope=acme&subject=user:grace&kind=Workflow&verb=trigger`);
    await why.getByText("user:grace may not trigger Workflow in acme.").waitFor();
    await page.goto(`${server.url}/organizations/acme/rolebindings`);
    await page.getByRole("button", { name: "Give a role" }).click();
    const dialog = page.getByRole("dialog", { name: "Give a role in acme" });
    const choose = async (field: string, option: string) => {
      await dialog.getByRole("combobox", { name: field }).fill(option);
      await page.getByRole("option", { name: option, exact: true }).click();
    };
    await choose("Who", "user:grace");
    await choose("Role", "deployer");
    expect(await seriousFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Give the role" }).click();
    await dialog.waitFor({ state: "detached" });
    const given = page.getByRole("table", { name: "Bindings" }).getByRole("row", { name: /grace.*deployer/ });
    await given.waitFor();
    await why.reload();
    await why.getByText("user:grace may trigger Workflow in acme.").waitFor();

    await given.getByRole("button", { name: "Take back" }).click();
    const asked = page.getByRole("dialog", { name: "Take the role deployer from user:grace?" });
    await asked.getByRole("button", { name: "Take back" }).click();
    await given.waitFor({ state: "detached" });
    await why.reload();
    await why.getByText("user:grace may not trigger Workflow in acme.").waitFor();
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
    const drained = async () => (await read("/organizations/acme/hosts/edge-1")).spec.drained;
    expect(await drained()).toBe(true);
    await grace.page.goto(page.url());
    await refused(grace.page, "Resume", "You need hosts:update in acme");
    await refused(grace.page, "Revoke", "You need hosts:revoke in acme");
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Drain" }).waitFor();
    expect(await drained()).toBe(false);
    await page.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("revoked", { exact: true }).waitFor();
    expect(await agent.ended, agent.stderr()).toMatchObject({ code: 3 });
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
    const later = ["revoke Host edge-1", "Role deployer"];
    for (const text of [...told, ...later]) await page.getByRole("cell", { name: text }).first().waitFor();
    await owner.call("PUT", "/api/v1/organizations/acme/projects/live", { body: {} });
    await page.getByRole("cell", { name: "apply Project live" }).waitFor();
    await auditIsNarrowed(page);
    // Of those that were denied, one is the token's first secret, which was tried after the second was issued.
    await page.goto(`${server.url}/audit?outcome=denied`);
    await page.getByRole("cell", { name: "authenticate Credential bearer" }).waitFor();
    expect(await page.getByRole("cell", { name: "issue Token laptop" }).count()).toBe(0);
    await page.goto(`${server.url}/audit?name=nobody`);
    await page.getByText("No record fits").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("Intact", { exact: true }).waitFor();
  });
});

/** By its own controls, one after the other; what does not fit goes. */
async function auditIsNarrowed(page: Page): Promise<void> {
  const cell = (name: string) => page.getByRole("cell", { name }).first();
  await page.getByLabel("Did").fill("issue");
  await page.getByLabel("Did").press("Enter");
  await cell("join Host edge-1").waitFor({ state: "detached" });
  await cell("issue Invitation").waitFor();
  const choose = async (field: string, option: string) => {
    await page.getByRole("combobox", { name: field }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await choose("To", "Token");
  await cell("issue Invitation").waitFor({ state: "detached" });
  await cell("issue Token laptop").waitFor();
  expect(new URL(page.url()).search).toBe("?operation=issue&kind=Token");
  await page.getByLabel("Who").fill("user:grace");
  await page.getByLabel("Who").press("Enter");
  await page.getByText("No record fits").waitFor();
  await page.getByLabel("Who").fill("user:ada");
  await page.getByLabel("Who").press("Enter");
  await cell("issue Token laptop").waitFor();
  await choose("Outcome", "denied");
  await page.getByText("No record fits").waitFor();
}

async function read(path: string) {
  return (await owner.call("GET", `/api/v1${path}`)).body;
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
