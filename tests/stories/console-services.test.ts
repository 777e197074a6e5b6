import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { serveGit, testRepository } from "@reeve/git/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { agentProcess, joinToken } from "../harness/agent-process.ts";
import { type Api, setUp } from "../harness/api.ts";
import { seriousFindings } from "../harness/axe.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { write } from "../harness/console-editor.ts";
import { addViewer, openConsole, refused, tabTo } from "../harness/console-person.ts";
import { startDocker, type TestDocker } from "../harness/docker.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/**
 * Services in a real browser, on a real engine. One story: each test goes on from where the one before has left the world.
 */
describe("services in the console", needs("docker", "chromium"), () => {
  const bench = openBench(afterAll);
  let docker: TestDocker;
  let server: ServerProcess;
  let api: Api;
  let ada: Browser;

  const list = "/organizations/acme/services";
  const shop = `${list}/shop`;

  beforeAll(async () => {
    const agents = `127.0.0.1:${await freePort()}`;
    const settings = { REEVE_AGENT_LISTEN: agents, REEVE_TRUSTED_PROXIES: "127.0.0.1" };
    [docker, server] = await Promise.all([startDocker(bench), startServer(bench, { settings })]);
    await docker.image("web:1");
    api = await setUp(server.url, server.setupLink);
    const agent = agentProcess(bench, { name: "web-1", urls: [`https://${agents}`], env: docker.env });
    await agent.join(await joinToken(api, "join"));
    agent.start();
    await addViewer(api, "grace", "/organizations/acme");
    ada = await openConsole(bench, server.url, { path: list });
    await until(
      "the agent to be there",
      async () => (await api.call("GET", "/api/v1/hosts/web-1")).body.status?.agent === "connected",
      180_000,
    );
  }, 300_000);

  function manifest({ health = "" } = {}): string {
    return `apiVersion: reeve/v1
kind: Service
metadata: { scope: acme, name: shop }
spec:
  description: What customers see.
  hosts: { names: [web-1] }
  environment: { HEALTH: "${health}" }
  health: { timeout: 60s }
  files:
    compose.yaml: |
      services:
        web:
          image: web:1
          ports: ["8001:80"]
          environment: { HEALTH: "\${HEALTH}" }
`;
  }

  const title = (name: string) => ada.page.getByRole("alert").filter({ hasText: name });
  const container = () => ada.page.getByRole("table", { name: "Containers on web-1" });

  test("the empty list teaches, and a first service is written, checked and deployed by keyboard", async () => {
    const { page } = ada;
    await page.getByText("No services yet").waitFor();
    await page.getByRole("region", { name: "A Compose file" }).getByText("image: nginx").waitFor();
    await page.getByRole("link", { name: "New service" }).first().click();
    // What the files say stands beside the text, and what is wrong with them is said before anything is made.
    await page.getByRole("cell", { name: "nginx:1.29" }).waitFor();
    await write(page, () => manifest().replace("image: web:1", "build: ."));
    await page
      .getByText(/images are not built on hosts/)
      .first()
      .waitFor();
    await write(page, () => manifest());
    await page.getByRole("cell", { name: "web:1" }).waitFor();
    await page
      .getByRole("button", { name: "Review and create" })
      .and(page.locator(":not([aria-disabled])"))
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.waitForURL(server.url + shop);
    await page.getByText("It is on no host yet").waitFor();

    await tabTo(page, "button Deploy");
    await page.keyboard.press("Enter");
    const asking = page.getByRole("dialog", { name: "Deploy generation 1 of shop?" });
    await asking.getByText("It goes to web-1.").waitFor();
    await asking.getByText(/where they do not, nothing is left/).waitFor();
    await page.keyboard.press("Enter");
    await asking.waitFor({ state: "detached" });
    // As it goes, without anybody loading the page again.
    await container().getByText("healthy", { exact: true }).waitFor({ timeout: 180_000 });
    await container().getByText("web:1").waitFor();
    await container().getByText("8001->80").waitFor();
    await page.getByText("Generation 1 is kept").waitFor();
    expect(await docker.get(8001, "/version")).toBe("web:1");
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("a deploy is told with its steps and what they wrote", async () => {
    const { page } = ada;
    await page.getByRole("tab", { name: "Deploys" }).click();
    const runs = page.getByRole("table", { name: "Runs of shop" });
    await runs.getByText("succeeded").waitFor();
    await runs.getByRole("link").first().click();
    await page.waitForURL(/tab=deploys&run=/);
    await page.getByRole("group", { name: /^keep-web-1/ }).click();
    await page.waitForURL(/step=1/);
    await page
      .getByText(/Container shop-web-1/)
      .first()
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("what containers say is read as they say it, and narrowed", async () => {
    const { page } = ada;
    const say = (words: string) =>
      docker.run("docker", "exec", "shop-web-1", "sh", "-c", `echo ${words} > /proc/1/fd/1`);
    await say("good morning");
    await page.getByRole("tab", { name: "Logs" }).click();
    const log = page.getByRole("region", { name: "Log of shop" });
    await log.getByText("good morning").waitFor();
    await say("good evening");
    await log.getByText("good evening").waitFor();
    await page.getByRole("textbox", { name: "Find in the lines" }).fill("evening");
    await log.getByText("good morning").waitFor({ state: "detached" });
    expect(await log.locator("mark").allTextContents()).toEqual(["evening"]);
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("a terminal of a container is opened, typed into and resized; its keyboard has a way out, and its end is said and recorded", async () => {
    const { page } = ada;
    const spec = { recordTerminals: true };
    await api.call("PUT", "/api/v1/organizations/acme", { body: { spec } });
    await page.goto(server.url + shop);
    await container().getByRole("button", { name: "Terminal of shop-web-1" }).click();
    await page.waitForURL(/tab=terminal&host=web-1&container=shop-web-1/);
    const open = page.getByRole("button", { name: "Open terminal" });
    await open.click();
    const shown = page.getByRole("region", { name: "Terminal of shop-web-1" });
    await shown.getByText(/#/).last().waitFor();
    // The command's own echo has another text than its answer; this colour is one that needs a style of its own.
    await page.keyboard.type("printf '\\033[38;2;200;0;200mhe%so\\033[0m\\n' ll; busybox stty size\n");
    const hello = shown.getByText("hello", { exact: true });
    await hello.waitFor();
    expect(await hello.getAttribute("style")).toContain("rgb(200, 0, 200)");
    const sizes = async () => {
      const lines = await shown.locator(".xterm-rows > div").allTextContents();
      return lines.filter((line) => /^\d+ \d+$/.test(line.trim()));
    };
    await until("its size", async () => (await sizes()).length === 1);
    expect(await seriousFindings(page)).toEqual([]);

    const columns = async () => (await sizes()).map((size) => Number(size.split(" ")[1]));
    const [wide = 0] = await columns();
    await page.setViewportSize({ width: 375, height: 812 });
    const narrower = async () => {
      await page.keyboard.type("busybox stty size\n");
      return (await columns()).some((now) => now < Math.min(wide, 60));
    };
    await until("it to be told of its new size", narrower);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.getByText("recorded", { exact: true }).waitFor();
    await page.keyboard.type("exit 5\n");
    await page.getByText("It has ended with exit code 5.").waitFor();
    await page.getByRole("button", { name: "Open again" }).click();
    await page.getByText("It has ended with exit code 5.").waitFor({ state: "detached" });
    await page.keyboard.press("Control+.");
    await page.getByRole("button", { name: "Close" }).and(page.locator(":focus")).waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("It was ended: you have closed it.").waitFor();
    const { body } = await api.call("GET", "/api/v1/audit?kind=Service&operation=exec-end");
    const ends = body.items.map(({ detail }: { detail: object }) => detail);
    const recording = expect.any(String);
    expect(ends).toContainEqual(expect.objectContaining({ host: "web-1", exitCode: 5, recording }));

    await page.goto(`${server.url}/recordings`);
    // The first of the two, which is the older one.
    await page.getByRole("table", { name: "Recordings" }).getByRole("link").last().click();
    const replay = page.getByRole("region", { name: "Replay of shop" });
    await replay.getByText("hello", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Play again" }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("a single container is stopped and started, and it is shown who did", async () => {
    const { page } = ada;
    await page.goto(server.url + shop);
    await container().getByRole("button", { name: "Stop shop-web-1" }).click();
    const asking = page.getByRole("dialog", { name: "Stop shop-web-1?" });
    await asking.getByText(/until somebody starts it/).waitFor();
    await asking.getByRole("button", { name: "Stop shop-web-1" }).click();
    await container()
      .getByText(/by user:ada/)
      .waitFor({ timeout: 180_000 });
    await refused(page, "Terminal of shop-web-1", "The container shop-web-1 is exited, not running");
    await container().getByRole("button", { name: "Start shop-web-1", exact: true }).click();
    await container().getByText("healthy", { exact: true }).waitFor({ timeout: 180_000 });
    await title("not as wanted").waitFor({ state: "detached" });
  });

  test("what containers use is charted", async () => {
    const { page } = ada;
    await page.goto(`${server.url}${shop}?tab=usage`);
    const memory = page.getByRole("figure", { name: "Memory over time" });
    // A sample comes every 15 seconds, and the page asks as often.
    await memory.locator("canvas").waitFor();
    await memory.getByText(/shop-web-1/).waitFor();
    await page.getByText("24 hours", { exact: true }).click();
    await memory.locator("canvas").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
  });

  test("what somebody does to a container by hand is seen at once, there and in the overview", async () => {
    const { page } = ada;
    await page.goto(server.url + shop);
    await container().getByText("healthy", { exact: true }).waitFor();
    await docker.run("docker", "exec", "shop-web-1", "touch", "/sick");
    await container().getByText("unhealthy").waitFor();
    await title("shop is not as wanted on web-1").getByText("shop-web-1 is unhealthy").waitFor();
    await page.goto(server.url);
    await page.getByRole("link", { name: /shop is not as wanted on web-1/ }).click();
    await page.waitForURL(server.url + shop);
    // The agent makes a new one, which is well.
    await docker.run("docker", "rm", "--force", "shop-web-1");
    await container().getByText("healthy", { exact: true }).waitFor({ timeout: 180_000 });
    await title("not as wanted").waitFor({ state: "detached" });
  });

  test("a change waits for its deploy; one that is not healthy says why, and is told once", async () => {
    const { page } = ada;
    await page.getByRole("button", { name: "Edit" }).click();
    await write(page, () => manifest({ health: "fail" }));
    await page
      .getByRole("button", { name: "Review changes" })
      .and(page.locator(":not([aria-disabled])"))
      .click();
    const review = page.getByRole("dialog");
    await review
      .getByText(/HEALTH: fail/)
      .first()
      .waitFor();
    await review.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(server.url + shop);
    await title("Generation 2 of shop is not deployed").getByText("Its hosts keep generation 1.").waitFor();
    await page.goto(server.url + list);
    await page.getByText("1, wanted 2").waitFor();
    await page.getByRole("link", { name: "shop", exact: true }).click();

    await page.getByRole("button", { name: "Deploy" }).click();
    const asking = page.getByRole("dialog", { name: "Deploy generation 2 of shop?" });
    await asking.getByText(/the generation before is kept again/).waitFor();
    await asking.getByText("web-1: changes from generation 1").waitFor();
    const compared = asking.getByRole("table", { name: "Difference of environment.HEALTH" });
    await compared.getByText("fail").waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await asking.getByRole("button", { name: "Deploy" }).click();
    const failed = title("The latest deploy of shop failed");
    await failed.getByText(/generation 1 is kept again/).waitFor({ timeout: 180_000 });
    await container().getByText("healthy", { exact: true }).waitFor({ timeout: 180_000 });
    await failed.getByRole("link", { name: "Show its log" }).click();
    await page.getByRole("group", { name: /^keep-web-1/ }).waitFor();
    await page.goto(server.url);
    await page.getByRole("link", { name: /The latest deploy of shop failed/ }).waitFor();
    expect(await page.getByRole("link", { name: /shop failed/ }).count()).toBe(1);
  });

  test("who may only look sees all of it, and is told why nothing can be done", async () => {
    const { page } = await openConsole(bench, server.url, { user: "grace", path: shop });
    await page.getByRole("table", { name: "Containers on web-1" }).getByText("shop-web-1").waitFor();
    await refused(page, "Deploy", "You need services:deploy in acme");
    await refused(page, "Stop", "You need services:stop in acme");
    await refused(page, "Edit", "You need services:update in acme");
    await refused(page, "Delete", "You need services:delete in acme");
    await refused(page, "Terminal of shop-web-1", "You need services:exec in acme");
    await refused(page, "Restart shop-web-1", "You need services:container in acme");
    await page.goto(`${server.url}${shop}?tab=terminal`);
    await refused(page, "Open terminal", "You need services:exec in acme");
    await page.setViewportSize({ width: 375, height: 812 });
    for (const path of [list, shop, `${shop}?tab=terminal`, `${shop}?tab=files`]) {
      await page.goto(server.url + path);
      await page.locator("main").getByText("shop").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0);
    }
    await page.getByRole("region", { name: "compose.yaml" }).getByText("image: web:1").waitFor();
  });

  test("a stopped service says so everywhere; a deleted one goes from its host first", async () => {
    const { page } = ada;
    await page.goto(server.url + shop);
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    const asking = page.getByRole("dialog", { name: "Stop shop?" });
    await asking.getByText("Its containers are removed from web-1").waitFor();
    await asking.getByText("Volumes and data stay.").waitFor();
    await asking.getByRole("button", { name: "Stop" }).click();
    await page.getByRole("button", { name: "Start", exact: true }).waitFor({ timeout: 180_000 });
    await page.getByText("There are no containers of it.").waitFor({ timeout: 180_000 });
    await page.goto(`${server.url}/hosts/web-1?tab=services`);
    const here = page.getByRole("table", { name: "Services on web-1" });
    await here.getByText("stopped").waitFor({ timeout: 180_000 });
    await here.getByRole("link", { name: "shop" }).click();
    await page.waitForURL(server.url + shop);
    // Its own page: the address is there before the page's file is.
    await page.getByRole("tab", { name: "Deploys" }).waitFor();

    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Service shop?" });
    await dialog.getByText(/It goes from web-1 first/).waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.goto(server.url + list);
    await page.getByText("No services yet").waitFor({ timeout: 180_000 });
    expect(await docker.run("docker", "ps", "-aq")).toBe("");
  });

  test("a template asks for what it needs, and ends in the editor; its password is generated", async () => {
    const { page } = ada;
    // Where everything is shown, it is for the only organization there is.
    await page.goto(`${server.url}/services`);
    await page.getByRole("link", { name: "From a template" }).first().click();
    await page.getByRole("link", { name: "postgres" }).click();
    const form = page.getByRole("dialog", { name: "PostgreSQL in acme" });
    await form.getByRole("button", { name: "Add a name" }).click();
    await form.getByPlaceholder("name of a Host in acme or above").fill("web-1");
    const port = form.getByRole("textbox", { name: "port", exact: true });
    await port.fill("70000");
    const go = form.getByRole("button", { name: "Continue" });
    await go.click();
    await form.getByText("must be at most 65535").waitFor();
    await port.fill("5433");
    await go.click();
    await page.getByRole("cell", { name: "postgres:${VERSION}" }).waitFor();
    await page
      .getByRole("button", { name: "Review and create" })
      .and(page.locator(":not([aria-disabled])"))
      .click();
    await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
    await page.waitForURL(`${server.url}${list}/postgres`);
    const { spec } = (await api.call("GET", `/api/v1${list}/postgres`)).body;
    expect(spec).toMatchObject({ hosts: { names: ["web-1"] }, environment: { PORT: "5433" } });
    await until("the password to be there", async () => {
      const secret = await api.call("GET", "/api/v1/organizations/acme/secrets/postgres");
      return secret.body.status?.keys?.includes("password") === true;
    });
  });

  test("a project that was there before is adopted on the page of its host, where what the engine has is shown, too", async () => {
    const { page } = ada;
    const folder = bench.folder("reeve-before-");
    const file = join(folder, "compose.yaml");
    writeFileSync(file, "services: { web: { image: 'web:1' } }\n");
    writeFileSync(join(folder, ".env"), "GREETING=hello\nDB_PASSWORD=canary-9Tq\n");
    const secrets = "/api/v1/organizations/acme/secrets";
    await api.call("PUT", `${secrets}/before`, { body: { spec: {} } });
    const values = { DB_PASSWORD: "canary-9Tq" };
    const set = await api.call("POST", `${secrets}/before/actions/set`, { body: { values } });
    expect(set.status, set.text).toBe(200);
    await docker.run("docker", "compose", "-p", "before", "-f", file, "up", "-d");
    await docker.run("docker", "volume", "create", "spare");
    const id = await docker.run("docker", "inspect", "--format", "{{.Id}}", "before-web-1");
    await page.goto(`${server.url}/hosts/web-1?tab=services`);
    await page
      .getByRole("table", { name: "Found Compose projects" })
      .getByText("before", { exact: true })
      .waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Adopt" }).click();
    const asking = page.getByRole("dialog", { name: "Adopt before on web-1?" });
    await asking.getByText("goes on as it is").waitFor();
    await asking.getByRole("textbox", { name: "Scope" }).fill("acme");
    await asking.getByRole("combobox", { name: "Secret" }).fill("postgres");
    expect(await seriousFindings(page)).toEqual([]);
    await asking.getByRole("button", { name: "Adopt" }).click();
    await asking.getByText("The Secret postgres has no key of what is in").waitFor();
    await asking.getByRole("combobox", { name: "Secret" }).fill("before");
    await asking.getByRole("button", { name: "Adopt" }).click();
    await page.waitForURL(`${server.url}/organizations/acme/services/before`);
    const { spec } = (await api.call("GET", `/api/v1${list}/before`)).body;
    expect(spec.environment).toEqual({ DB_PASSWORD: { secretRef: { name: "before", key: "DB_PASSWORD" } } });
    await page.getByText("Generation 1 is kept").waitFor({ timeout: 180_000 });
    expect(await docker.run("docker", "inspect", "--format", "{{.Id}}", "before-web-1")).toBe(id);

    await page.goto(`${server.url}/hosts/web-1?tab=storage`);
    const things = page.getByRole("table", { name: "Images, volumes and networks on web-1" });
    await things.getByRole("row", { name: /web:1.*containers use it/ }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await things.getByRole("row", { name: /spare/ }).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog", { name: "Remove spare?" }).getByRole("button", { name: "Remove" }).click();
    await things.getByRole("row", { name: /spare/ }).waitFor({ state: "detached" });
    expect(await docker.run("docker", "volume", "ls", "-q")).not.toContain("spare");
  }, 300_000);

  test("a join token that is used up is not there to be withdrawn", async () => {
    const { page } = ada;
    await page.goto(`${server.url}/hosts`);
    await page.getByRole("table", { name: "Join tokens" }).getByText("used up").waitFor();
    await refused(page, "Withdraw", "It is used up, and goes by itself");
  });

  test("a file of a repository is changed and becomes a commit; who was late loses nothing", async () => {
    const { page } = ada;
    const repository = testRepository((end) => bench.keep({ end }));
    const bare = join(repository.root, "flows.git");
    repository.git("-C", bare, "config", "http.receivepack", "true");
    const { url } = await serveGit(repository.root, (end) => bench.keep({ end }));
    const compose = "services:\n  web:\n    image: web:1\n";
    repository.push({ "web/compose.yaml": compose, "web/token.age": "sealed" });
    const spec = { git: { url, ref: "main" }, every: "1h", writeBack: true };
    const at = "/api/v1/organizations/acme";
    expect((await api.call("PUT", `${at}/repositories/apps`, { body: { spec } })).status).toBe(201);
    const web = { hosts: { names: ["web-1"] }, source: { repository: "apps", folder: "web" } };
    expect((await api.call("PUT", `${at}/services/web`, { body: { spec: web } })).status).toBe(201);

    await page.goto(`${server.url}${list}/web?tab=files`);
    await page.getByText("Its files are in the folder web").getByRole("link", { name: "apps" }).click();
    await page.getByText("up to date").waitFor({ timeout: 60_000 });
    await page.getByRole("region", { name: "web/compose.yaml" }).getByText("image: web:1").waitFor();
    await page.getByRole("navigation", { name: "Files" }).getByText("web/token.age").click();
    await page.getByText(/It is encrypted/).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    await page.getByRole("navigation", { name: "Files" }).getByText("web/compose.yaml").click();
    await page.getByRole("button", { name: "Edit file" }).click();
    await write(page, (text) => text.replace("web:1", "web:2"), "web/compose.yaml");
    // Somebody else is first.
    repository.push({ "web/note": "theirs" });
    const commit = async (message: string) => {
      await page.getByRole("button", { name: "Review 1 change" }).click();
      const dialog = page.getByRole("dialog", { name: "Commit to main" });
      await dialog
        .getByRole("table", { name: "Difference of web/compose.yaml" })
        .getByText("web:2")
        .waitFor();
      await dialog.getByRole("textbox", { name: "Message" }).fill(message);
      await dialog.getByRole("button", { name: "Commit and push" }).click();
      return dialog;
    };
    const refusal = await commit("Take two");
    await refusal.getByText(/the change was made from/).waitFor({ timeout: 60_000 });
    await refusal.getByRole("button", { name: "Cancel" }).click();
    await title("Somebody has pushed meanwhile").waitFor({ timeout: 60_000 });
    await page.reload();
    await page.getByRole("button", { name: "Bring my changes there" }).click();
    await title("Somebody has pushed meanwhile").waitFor({ state: "detached" });
    const done = await commit("Take two");
    await done.waitFor({ state: "detached", timeout: 60_000 });
    repository.git("pull", "--quiet", "origin", "main");
    expect(repository.git("log", "--format=%an %s", "-1")).toBe("ada Take two");
    expect(repository.git("show", "HEAD:web/compose.yaml")).toBe(compose.replace("web:1", "web:2").trim());
    await page.getByRole("tab", { name: "Commits" }).click();
    await page.getByRole("table", { name: "Commits" }).getByText("Take two").waitFor({ timeout: 60_000 });
    expect(await seriousFindings(page)).toEqual([]);
  }, 300_000);
});
