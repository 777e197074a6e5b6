import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type App, codeBefore, openApp } from "../../apps/server/testing-factors.ts";
import { needs } from "../../tools/components.ts";
import { type Api, password, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { type Browser, openBrowser } from "../harness/browser.ts";
import { openCli } from "../harness/cli.ts";
import { askEmbedded, type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** Signing in as people do it: in the console in a real browser, and in a terminal, against a real server. */
const bench = openBench(afterAll);
let server: ServerProcess;
let owner: Api;

beforeAll(async () => {
  server = await startServer(bench, { settings: { REEVE_TRUSTED_PROXIES: "127.0.0.1" } });
  owner = await setUp(server.url, server.setupLink);
});

describe("in a browser", needs("chromium"), () => {
  test("a person adds an app, keeps recovery codes, and signs in with them", async () => {
    await newUser("grace");
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    await enter(page, "grace");
    await page.getByText("You sign in with your password alone.").waitFor();
    const app = await addApp(page);
    await page.getByRole("button", { name: "Make new codes" }).click();
    const codes = page.getByRole("list", { name: "Your new codes" }).getByRole("listitem");
    await codes.nth(9).waitFor();
    const [code = ""] = await codes.allTextContents();
    await page.getByText("You have 10 left.").waitFor();

    await signOut(page);
    await enter(page, "grace", { arrives: false });
    await page.getByRole("textbox", { name: "Code" }).fill("000000");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("The code or the passkey is not right").waitFor();
    await page.getByRole("textbox", { name: "Code" }).fill(app.code(1));
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByRole("heading", { name: "Security of grace" }).waitFor();

    await signOut(page);
    await enter(page, "grace", { arrives: false });
    await page.getByRole("textbox", { name: "Code" }).fill(code);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("You have 9 left.").waitFor();
    expect(complaints).toEqual([]);
  });

  test("a passkey signs in alone, and as the second step; a copy of it that lags behind is refused", async () => {
    await newUser("hedy");
    const { page, complaints, plugIn } = await openBrowser(openBench(onTestFinished));
    const device = await plugIn();
    await enter(page, "hedy");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByLabel("Name").last().fill("laptop");
    await page.getByRole("button", { name: "Make the passkey" }).click();
    await page.getByText("passkey, last used").waitFor();
    expect(await device.credentials()).toHaveLength(1);
    const added = await owner.call("GET", "/api/v1/audit?operation=add-factor&subject=user:hedy");
    expect(added.body.items).toMatchObject([{ detail: { kind: "passkey", name: "laptop" } }]);

    const alone = page.getByRole("button", { name: "Sign in with a passkey" });
    await signOut(page);
    const [sent] = await Promise.all([page.waitForRequest("**/sessions/passkey"), alone.click()]);
    await page.getByRole("heading", { name: "Security of hedy" }).waitFor();
    // Whoever has seen an answer of a passkey cannot give it again.
    const replayed = await server
      .api()
      .call("POST", "/api/v1/sessions/passkey", { body: sent.postDataJSON() });
    expect(replayed.status).toBe(401);

    await signOut(page);
    await enter(page, "hedy", { arrives: false });
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.getByRole("heading", { name: "Security of hedy" }).waitFor();

    await signOut(page);
    await device.recognise(false);
    await alone.click();
    await page.getByText("The passkey was not used").waitFor();
    await device.recognise(true);
    await device.countFrom(1);
    await alone.click();
    await page.getByText("This passkey is not known here").waitFor();
    expect(complaints).toEqual([]);
  });

  test("what is sensitive asks for a proof first, and goes on after it", async () => {
    await newUser("joan");
    const { page } = await openBrowser(openBench(onTestFinished));
    await enter(page, "joan");
    // The server would say so ten minutes from now.
    const problem = { detail: "fresh authentication needed: your last proof is old" };
    await page.route("**/factors/totp/seed", (route) => route.fulfill({ status: 403, json: problem }), {
      times: 1,
    });
    await page.getByRole("button", { name: "Add an app" }).click();
    const proof = page.getByRole("dialog", { name: "Prove that it is you" });
    await proof.getByRole("textbox", { name: "Password" }).fill("a wrong password");
    await proof.getByRole("button", { name: "Go on" }).click();
    await proof.getByText("/password: it is wrong").waitFor();
    await proof.getByRole("textbox", { name: "Password" }).fill(password);
    await proof.getByRole("button", { name: "Go on" }).click();
    await page.getByAltText("QR code of the seed").waitFor();
  });

  test("a person sees where they are signed in, and ends it there", async () => {
    await newUser("mary");
    const [here, there] = [
      await openBrowser(openBench(onTestFinished)),
      await openBrowser(openBench(onTestFinished)),
    ];
    for (const { page } of [there, here]) await enter(page, "mary");
    await here.page.getByText("Chrome on Linux (this one)").waitFor();
    await here.page.getByRole("button", { name: "End all others" }).click();
    await until(
      "one session to be left",
      async () =>
        (await here.page.getByRole("list", { name: "Sessions" }).getByRole("listitem").count()) === 1,
    );
    await there.page.goto(`${server.url}/security`);
    await there.page.waitForURL(`${server.url}/sign-in?to=/security`);
  });
});

test("in a terminal a code follows the password, and proves anew", async () => {
  await newUser("katherine");
  const api = await signInByApi("katherine");
  const { seed } = (await api.call("POST", "/api/v1/factors/totp/seed", { body: {} })).body;
  const app = openApp(seed);
  const added = await api.call("POST", "/api/v1/factors/totp", {
    body: { seed, code: await codeBefore(app), name: "phone" },
  });
  expect(added.status).toBe(201);

  const reeve = openCli(bench);
  const login = ["login", server.url, "--user", "katherine", "--password-stdin"];
  const half = await reeve(login, { stdin: `${password}\n` });
  expect(half.code).toBe(2);
  expect(half.stderr).toContain("Code of your app, or a recovery code");
  expect((await reeve(login, { stdin: `${password}\n000000\n` })).code).toBe(4);
  expect(await reeve(login, { stdin: `${password}\n${app.code()}\n` })).toMatchObject({ code: 0 });

  const sessions = await reeve(["auth", "sessions"]);
  expect(sessions.stdout).toMatch(/this one, reeve on \S/);
  expect((await reeve(["auth", "confirm", "--stdin"], { stdin: `${password}\n` })).code).toBe(3);
  expect(await reeve(["auth", "confirm", "--stdin"], { stdin: app.code(1) })).toMatchObject({
    code: 0,
  });
  expect((await reeve(["auth", "sessions", "--end-others"])).stderr).toContain("1 session ended");
  expect((await reeve(["auth", "whoami"])).stdout).toContain("user:katherine (by session)");
});

test("in a terminal the command line asks for the proof that is wanted first, and goes on; elsewhere it says how to give it", async () => {
  await newUser("dorothy");
  const reeve = openCli(bench);
  const login = ["login", server.url, "--user", "dorothy", "--password-stdin"];
  expect(await reeve(login, { stdin: password })).toMatchObject({ code: 0 });
  await askEmbedded(
    server.data,
    `update session set authenticated_at = now() - interval '1 hour'
     where user_uid = (select uid from resource where kind = 'User' and name = 'dorothy')`,
  );
  // Who somebody is, is remembered for some seconds.
  const proved = async () =>
    JSON.parse((await reeve(["auth", "whoami", "-o", "json"])).stdout).via.authenticatedAt;
  await until("the proof to be old", async () => Date.parse(await proved()) < Date.now() - 3_000_000);
  const create = ["token", "create", "laptop"];
  const refused = await reeve(create);
  expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining("reeve auth confirm") });

  const asking = reeve.terminal(create, { rows: 20, columns: 100 });
  await until("the password to be asked for", () => asking.stdout().includes("Password"));
  asking.child.stdin?.write(`${password}\r`);
  expect(await asking.ended).toMatchObject({ code: 0 });
  expect(asking.stdout()).toMatch(/reeve_t_\S+/);
  expect(await reeve(["token", "list"])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("laptop"),
  });
});

test("who signs in without the second factor that an organization requires is told so", async () => {
  await newUser("ida");
  const spec = { role: "viewer", subject: { kind: "User", name: "ida" } };
  await owner.call("PUT", "/api/v1/organizations/strict", { body: { spec: { requireSecondFactor: true } } });
  await owner.call("PUT", "/api/v1/organizations/strict/rolebindings/ida", { body: { spec } });
  const login = ["login", server.url, "--user", "ida", "--password-stdin"];
  const { code, stderr } = await openCli(bench)(login, { stdin: `${password}\n` });
  expect(code).toBe(0);
  expect(stderr).toContain("your role viewer in strict does not count without a second factor");
});

async function newUser(name: string): Promise<void> {
  const user = await owner.call("PUT", `/api/v1/users/${name}`, { body: {} });
  const set = await owner.call("POST", `/api/v1/users/${name}/actions/set-password`, { body: { password } });
  expect([user.status, set.status]).toEqual([201, 200]);
}

async function signInByApi(user: string): Promise<Api> {
  const { body } = await server.api().call("POST", "/api/v1/sessions", { body: { user, password } });
  return server.api(body.token);
}

type Page = Browser["page"];

async function enter(page: Page, user: string, { arrives = true } = {}): Promise<void> {
  if (!page.url().startsWith(`${server.url}/sign-in?to=`))
    await page.goto(`${server.url}/sign-in?to=/security`);
  await page.getByLabel("Name").fill(user);
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  if (arrives) await page.getByRole("heading", { name: `Security of ${user}` }).waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL(`${server.url}/sign-in`);
  await page.goto(`${server.url}/sign-in?to=/security`);
}

async function addApp(page: Page): Promise<App> {
  await page.getByRole("button", { name: "Add an app" }).click();
  await page.getByAltText("QR code of the seed").waitFor();
  const app = openApp((await page.getByTestId("seed").textContent()) ?? "");
  await page.getByRole("textbox", { name: "Code" }).fill(await codeBefore(app));
  await page.getByRole("button", { name: "Add this app" }).click();
  await page.getByText("app, last used").waitFor();
  return app;
}
