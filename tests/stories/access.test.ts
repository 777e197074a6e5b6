import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { openApi, password } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import { openBrowser } from "../harness/browser.ts";
import { type Cli, openCli } from "../harness/cli.ts";
import { refusedServer, type ServerProcess, startServer } from "../harness/server-process.ts";

/** Who may do what, as docs/access.md tells it: groups, roles, invitations and the way back in, against a real server. */
const bench = openBench(afterAll);
let server: ServerProcess;
let ada: Cli;

beforeAll(async () => {
  server = await startServer(bench);
  ada = openCli(bench);
  const answers = ["--user", "ada", "--organization", "acme", "--password-stdin"];
  expect(await ada(["setup", server.setupLink ?? "", ...answers], { stdin: password })).toMatchObject({
    code: 0,
  });
  await done(["context", "set-scope", "acme"]);
});

async function done(args: readonly string[], stdin?: string): Promise<string> {
  const said = await ada(args, stdin === undefined ? {} : { stdin });
  expect(said.code, `${args.join(" ")}: ${said.stderr}`).toBe(0);
  return said.stdout;
}

const team = `apiVersion: reeve/v1
kind: Project
metadata: { scope: acme, name: shop }
---
apiVersion: reeve/v1
kind: User
metadata: { name: grace }
---
apiVersion: reeve/v1
kind: Role
metadata: { scope: acme, name: deployer }
spec:
  allows: ["*:read", "workspaces:*"]
---
apiVersion: reeve/v1
kind: Group
metadata: { scope: acme, name: developers }
spec:
  members: [{ kind: User, name: grace }]
---
apiVersion: reeve/v1
kind: RoleBinding
metadata: { scope: acme/shop, name: developers-deploy }
spec:
  role: deployer
  subject: { kind: Group, name: developers }
`;

test("a group with a custom role, and why its member may or may not", async () => {
  expect(await done(["auth", "permissions", "tokens"])).toMatch(/^tokens:issue +Make a new secret/m);
  await done(["apply", "--dry-run", "-f", "-"], team);
  await done(["apply", "-f", "-"], team);
  const inShop = ["--scope", "acme/shop"];
  const can = await ada(["auth", "can-i", "create", "workspaces", "--as", "user/grace", ...inShop]);
  expect(can).toMatchObject({ code: 0, stdout: "yes\n" });
  expect(can.stderr).toContain("the role deployer by the binding acme/shop/developers-deploy");
  const why = await done(["auth", "why", "user/grace", "create", "workspaces", ...inShop]);
  expect(why).toMatch(/^deployer +acme\/developers +acme\/shop\/developers-deploy +user:ada$/m);
  const not = await done(["auth", "why", "user/grace", "delete", "project/shop"]);
  expect(not).toContain("user:grace may not projects:delete in acme/shop: no role gives");
  expect(not).toContain("these roles would give it: owner\n");
  expect(await ada(["auth", "can-i", "delete", "project/shop", "--as", "user/grace"])).toMatchObject({
    code: 1,
  });
  expect((await ada(["delete", "role/deployer"])).stderr).toContain(
    "RoleBinding acme/shop/developers-deploy",
  );
});

test("a token for less tells what it was made for, and does no more than that", async () => {
  await done(["apply", "-f", "-"], team);
  const words =
    "token create deploys --within acme/shop --allows workspaces:*,projects:read --allows runs:read";
  const made = await ada(words.split(" "));
  expect(made.stderr).toMatch(
    /^token deploys for user ada, within acme\/shop, for workspaces:\* and .* only,/,
  );
  expect(made.stdout).toMatch(/^reeve_t_[\w-]{43}\n$/);
  const env = { REEVE_URL: server.url, REEVE_TOKEN: made.stdout.trim() };
  const who = await ada(["auth", "whoami"], { env });
  expect(who.stdout).toMatch(/^user:ada \(by token within acme\/shop\)\n/);
  expect(who.stderr).toMatch(/^this token allows only projects:read, runs:read, workspaces:create, /);
  expect(await ada(["apply", "-f", "-"], { env, stdin: workspace("acme/shop") })).toMatchObject({ code: 0 });
  expect(await ada(["apply", "-f", "-"], { env, stdin: workspace("acme/blog") })).toMatchObject({ code: 5 });
  const can = await ada(["auth", "can-i", "create", "projects", "--scope", "acme"], { env });
  expect(can).toMatchObject({ code: 1, stdout: "no\n" });
  expect(can.stderr).toContain("this token reaches acme/shop and what is below it, and nothing else");

  expect(await done(["token", "list", "--scope", ""])).toMatch(/^deploys +user:ada +acme\/shop +\d/m);
  expect(await done(["get", "tokens", "--scope", "", "-o", "wide"])).toContain("workspaces:*,projects:read");
  expect(await done(["describe", "token/deploys", "--scope", ""])).toMatch(/within: acme\/shop$/m);
  const wider = ["edit", "token/deploys", "--scope", ""];
  const editor = { EDITOR: "sed -i s#acme/shop#acme#" };
  expect((await ada(wider, { env: editor })).stderr).toContain("a token can be narrowed, but never widened");

  // What was left empty by mistake is no token for everything.
  for (const empty of [
    ["--allows", ""],
    ["--within", ""],
  ])
    expect(await ada(["token", "create", "all", ...empty])).toMatchObject({ code: 3 });
});

function workspace(scope: string): string {
  return `apiVersion: reeve/v1\nkind: Workspace\nmetadata: { scope: ${scope}, name: prod }\nspec: {}\n`;
}

describe("an invitation", needs("chromium"), () => {
  test("is a link that the invited opens in a browser, makes a user with, and signs in", async () => {
    const link = (await done(["invite", "hedy@example.com", "--role", "editor"])).trim();
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    await page.goto(link);
    await page.getByLabel("Name", { exact: true }).fill("hedy");
    await page.getByRole("textbox", { name: "Password", exact: true }).fill(password);
    await page.getByRole("textbox", { name: "Password again" }).fill(password);
    await page.getByRole("button", { name: "Make my user" }).click();
    await page.getByText("hedy now holds the role editor in acme.").waitFor();
    await expect.poll(() => page.url()).not.toContain("reeve_invitation_");
    // Asking who one is without being signed in is answered 401, which a browser notes.
    expect(complaints.filter((one) => !/401/.test(one))).toEqual([]);
    const hedy = openCli(bench);
    const login = ["login", server.url, "--user", "hedy", "--password-stdin"];
    expect(await hedy(login, { stdin: password })).toMatchObject({ code: 0 });
    expect((await hedy(["get", "projects", "--scope", "acme"])).stdout).toContain("shop");
    expect(await done(["get", "invitations"])).toMatch(/accepted by hedy/);
  });

  test("is accepted with one click by who is signed in and has the address", async () => {
    const link = (
      await done(["invite", "hedy@example.com", "--scope", "acme/shop", "--role", "owner"])
    ).trim();
    const { page } = await openBrowser(openBench(onTestFinished));
    await page.goto(`${server.url}/sign-in`);
    await page.getByLabel("Name").fill("hedy");
    await page.getByRole("textbox", { name: "Password" }).fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goto(link);
    await page.getByRole("button", { name: "Accept the invitation" }).click();
    await page.getByText("hedy now holds the role owner in acme/shop.").waitFor();
  });
});

describe("who cannot sign in any more", needs("chromium"), () => {
  test("comes back by a link that a command on the server's machine prints, while the server runs", async () => {
    const again = { data: server.data, args: ["--recover", "ada"] };
    const printed = await refusedServer(bench, { ...again, settings: { REEVE_PUBLIC_URL: server.url } });
    expect(printed).toMatchObject({ code: 0, stderr: "" });
    const link = /^ {2}(\S+\/recover#reeve_recovery_\S+)$/m.exec(printed.stdout)?.[1] ?? "";
    const { page, complaints } = await openBrowser(openBench(onTestFinished));
    await page.goto(link);
    await page.getByRole("textbox", { name: "Password", exact: true }).fill("an entirely new password");
    await page.getByRole("textbox", { name: "Password again" }).fill("an entirely new password");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByText("The password of ada is set.").waitFor();
    expect(complaints).toEqual([]);
    expect((await ada(["get", "projects"])).stderr).toContain("sign in again");
    const body = { user: "ada", password: "an entirely new password" };
    expect((await openApi(server.url).call("POST", "/api/v1/sessions", { body })).status).toBe(201);
    const unknown = await refusedServer(bench, { data: server.data, args: ["--recover", "nobody"] });
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("there is no user nobody")]);
  });
});
