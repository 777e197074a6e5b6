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
    await page.setViewportSize({ width: 375, height: 812 });
    for (const path of [list, shop, `${shop}?tab=files`]) {
      await page.goto(server.url + path);
      await page.locator("main").getByText("shop").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), path).toBe(0);
    }
    await page.getByRole("region", { name: "compose.yaml" }).getByText("image: web:1").waitFor();
  });

  test("a stopped service says so everywhere; a deleted one goes from its host first", async () => {
    const { page } = ada;
    await page.goto(server.url + shop);
    await page.getByRole("button", { name: "Stop" }).click();
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

    await page.getByRole("button", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Service shop?" });
    await dialog.getByText(/It goes from web-1 first/).waitFor();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.goto(server.url + list);
    await page.getByText("No services yet").waitFor({ timeout: 180_000 });
    expect(await docker.run("docker", "ps", "-aq")).toBe("");
  });
});
