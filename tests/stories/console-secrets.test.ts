import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { federate, startProvider } from "../../apps/server/testing-provider.ts";
import { needs } from "../../tools/components.ts";
import { type Api, password, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { addViewer, focused, openConsole, refused } from "../harness/console-person.ts";
import { askEmbedded, type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** What is kept secret, and what asks for a fresh proof of identity, in a real browser against a real server. Grace may look only. */
const bench = openBench(afterAll);
let server: ServerProcess;
let owner: Api;
let ada: Browser;
let grace: Browser;

type Page = Browser["page"];

describe("secrets in the console", needs("chromium"), () => {
  beforeAll(async () => {
    server = await startServer(bench, { settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" } });
    owner = await setUp(server.url, server.setupLink);
    await addViewer(owner, "grace", "/organizations/acme");
    ada = await openConsole(bench, server.url);
    grace = await openConsole(bench, server.url, { user: "grace" });
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
    await refused(page, "Use 2 again", "It is the one in use");
    for (const tab of ["YAML", "Events", "History", "Overview"])
      await page.getByRole("tab", { name: tab }).click();
    expect(await page.content()).not.toContain(value);
    expect(answers.length).toBeGreaterThan(5);
    expect(answers.filter((text) => text.includes(value))).toEqual([]);
  });

  test("a secret is revealed after a fresh proof of identity only, and to nobody without the right", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/organizations/acme/secrets/database`);
    await makeStale(page);
    const reveal = page.getByRole("button", { name: "Reveal" }).first();
    await reveal.click();
    const question = page.getByRole("dialog", { name: "Reveal the values of database?" });
    await question.getByRole("button", { name: "Reveal" }).click();
    const proof = page.getByRole("dialog", { name: "Prove that it is you" });
    await expect.poll(() => focused(page)).toBe("input Password");
    expect(await seriousFindings(page)).toEqual([]);
    await proof.getByRole("textbox", { name: "Password" }).fill(password);
    await page.keyboard.press("Enter");
    const revealed = page.getByRole("dialog", { name: "Revealed" });
    await revealed.getByText("a value that nobody reads back, again").waitFor();
    await revealed.getByRole("button", { name: "Cover them again" }).click();
    await revealed.waitFor({ state: "detached" });
    expect(await page.content()).not.toContain("a value that nobody reads back");
    expect(await focused(page)).toBe("button Reveal");

    // Who does not prove it sees nothing.
    await makeStale(page);
    await reveal.click();
    await question.getByRole("button", { name: "Reveal" }).click();
    await proof.getByRole("button", { name: "Cancel" }).click();
    await question.getByText("it was not proved who you are").waitFor();
    await question.getByRole("button", { name: "Cancel" }).click();

    await grace.page.goto(page.url());
    await refused(grace.page, "Reveal", "You need secrets:reveal in acme");
    await refused(grace.page, "Set values", "You need secrets:set in acme");
    await refused(grace.page, "Use 1 again", "You need secrets:rollback in acme");
    await grace.page.goto(`${server.url}/organizations/acme/secrets`);
    await refused(grace.page, "New secret", "You need secrets:create in acme");
    await page.goto(`${server.url}/audit`);
    for (const text of ["set Secret database", "reveal Secret database"])
      await page.getByRole("cell", { name: text }).first().waitFor();
  });

  test("keys are rotated, and nobody notices but the table of keys", async () => {
    const { page } = ada;
    const keys = async () => (await read("/keys")).items as { id: string; level: string; state: string }[];
    const current = async (level: string) =>
      (await keys()).filter((key) => key.level === level && key.state === "current").map(({ id }) => id);
    await page.goto(`${server.url}/settings`);
    await makeStale(page);
    for (const [level, name] of [
      ["scope", "Rotate scope keys"],
      ["root", "Rotate the root key"],
    ] as const) {
      const before = await current(level);
      await page.getByRole("button", { name }).click();
      await page.getByRole("dialog").getByRole("button", { name }).click();
      if (level === "scope") await prove(page);
      await page.getByRole("dialog").first().waitFor({ state: "detached" });
      const after = await current(level);
      expect(after.filter((id) => before.includes(id))).toEqual([]);
      await page.getByRole("table", { name: "Keys" }).getByText("retired").first().waitFor();
    }
    // What was sealed before can still be opened.
    await page.goto(`${server.url}/organizations/acme/secrets/database`);
    await page.getByRole("button", { name: "Use 1 again" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Use 1 again" }).click();
    await page
      .getByRole("button", { name: "Use 2 again" })
      .and(page.locator(":not([aria-disabled])"))
      .waitFor();
    expect((await read("/organizations/acme/secrets/database")).status.version).toBe(3);
    await grace.page.goto(`${server.url}/settings`);
    for (const name of ["Rotate scope keys", "Rotate the root key"])
      await refused(grace.page, name, "permission installation:keys");
    await refused(grace.page, "Back up now", "You need backups:create in the installation");
  });

  test("a person links who they are elsewhere, after a fresh proof, signs in there, and unlinks it", async () => {
    const { page } = ada;
    const provider = await startProvider(server);
    const call: Api["call"] = (method, path, options) => owner.call(method, `/api/v1${path}`, options);
    await federate({ call }, provider);
    await provider.tell("lovelace");
    const isLovelace = [{ name: "person", value: "lovelace", url: provider.url }];
    await page.context().addCookies(isLovelace);
    await page.goto(`${server.url}/security`);
    await page.getByText("None is linked yet.").waitFor();
    await makeStale(page);
    await page.getByRole("button", { name: "Link corporate" }).click();
    await prove(page);
    const own = page.getByRole("list", { name: "Identities" }).getByRole("listitem");
    await own.getByText("lovelace").waitFor();
    expect(new URL(page.url()).hash).toBe("");
    expect((await read("/identities")).items).toMatchObject([{ provider: "corporate", subject: "lovelace" }]);

    // Another browser: the provider says who it is, and the person comes to the page that they wanted.
    const { page: other } = await openBrowser(openBench(onTestFinished));
    await other.context().addCookies(isLovelace);
    const wanted = `${server.url}/organizations/acme/secrets?q=data`;
    await other.goto(wanted);
    await other.waitForURL(/\/sign-in\?to=/);
    await other.getByRole("link", { name: "Sign in with corporate" }).click();
    await other.waitForURL(wanted);
    await other.getByRole("link", { name: "database" }).waitFor();
    await other.getByRole("button", { name: "Account of ada" }).waitFor();

    await own.getByRole("button", { name: "Unlink" }).click();
    await page.getByText("None is linked yet.").waitFor();
    expect((await read("/identities")).items).toEqual([]);
  });
});

async function read(path: string) {
  return (await owner.call("GET", `/api/v1${path}`)).body;
}

/** As if the person had proved who they are half an hour ago. The server remembers for a second who somebody is. */
async function makeStale(page: Page): Promise<void> {
  await askEmbedded(
    server.data,
    "update session set authenticated_at = authenticated_at - interval '30 minutes'",
  );
  await until("the proof to be old", async () => {
    const me = await page.request.get(`${server.url}/api/v1/whoami`);
    return (await me.json()).via.fresh === false;
  });
}

async function prove(page: Page): Promise<void> {
  const proof = page.getByRole("dialog", { name: "Prove that it is you" });
  await proof.getByRole("textbox", { name: "Password" }).fill(password);
  await proof.getByRole("button", { name: "Go on" }).click();
}
