import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needs } from "../../tools/components.ts";
import { type AgentProcess, agentProcess, joinToken } from "../harness/agent-process.ts";
import { type Api, setUp } from "../harness/api.ts";
import { openBench } from "../harness/bench.ts";
import type { Browser } from "../harness/browser.ts";
import { addViewer, focused, openConsole, refused, seek, tabTo } from "../harness/console-person.ts";
import { freePort } from "../harness/replicas.ts";
import { type ServerProcess, startServer } from "../harness/server-process.ts";
import { until } from "../harness/until.ts";

/** What people do to runs in a browser, with real agents and steps; Bob may look at all of it, and do nothing. */
const bench = openBench(afterAll);
const folder = bench.folder();
const shop = "/api/v1/organizations/acme/projects/shop";
let server: ServerProcess;
let owner: Api;
let edge: AgentProcess;
let ada: Browser;
let bob: Browser;

type Page = Browser["page"];

describe("runs are steered in the console", needs("chromium"), () => {
  beforeAll(async () => {
    const agents = `127.0.0.1:${await freePort()}`;
    server = await startServer(bench, {
      settings: {
        REEVE_HOME_AGENT: "on",
        REEVE_TRUSTED_PROXIES: "127.0.0.1",
        REEVE_AGENT_LISTEN: agents,
      },
    });
    owner = await setUp(server.url, server.setupLink);
    await put(shop, {});
    await addViewer(owner, "bob", "/organizations/acme");
    edge = agentProcess(bench, { name: "edge", urls: [`https://${agents}`], labels: { pool: "edge" } });
    await edge.join(await joinToken(owner, "edge"));
    edge.start();
    ada = await openConsole(bench, server.url);
    bob = await openConsole(bench, server.url, { user: "bob" });
    await workflow("release", [
      { name: "ask", approve: { text: "Is the release announced?" } },
      { name: "ship", needs: ["ask"], run: "echo shipped" },
    ]);
  });

  test("two windows show one change at once, and a step is approved in one of them", async () => {
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
    await asked.click();
    await page.waitForURL(`**/runs/${id}?step=0`);
    const other = await page.context().newPage();
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
    expect(await look(id)).toEqual({ run: "succeeded", ask: "succeeded", ship: "succeeded" });
  });

  test("a step is rejected without a mouse, and the run fails with the note", async () => {
    const { page } = ada;
    const id = await open("release", page);
    await page.getByText("ask waits for an approval").waitFor();
    await tabTo(page, "button Reject");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Note (optional)");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await focused(page)).toBe("button Reject");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Note (optional)");
    await page.keyboard.type("nobody knows of it");
    await tabTo(page, "button Reject");
    await page.keyboard.press("Enter");
    await badge(page, "failed").waitFor();
    await page.getByText("nobody knows of it").first().waitFor();
    expect(await look(id)).toEqual({ run: "failed", ask: "failed", ship: "skipped" });
  });

  test("a step is approved and a run cancelled by the palette, in the words of their buttons", async () => {
    const { page } = ada;
    const approved = await open("release", page);
    await page.getByText("ask waits for an approval").waitFor();
    await seek(page, "approve ask");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Note (optional)");
    await page.getByRole("dialog", { name: "Approve ask?" }).getByRole("button", { name: "Approve" }).click();
    await badge(page, "succeeded").waitFor();
    expect(await look(approved)).toEqual({ run: "succeeded", ask: "succeeded", ship: "succeeded" });

    await open("release", page);
    await page.getByText("ask waits for an approval").waitFor();
    await bob.page.goto(page.url());
    await bob.page.getByText("ask waits for an approval").waitFor();
    const refusal = (await seek(bob.page, "cancel")).getByRole("button", {
      name: "You need runs:cancel in acme/shop",
    });
    await refusal.and(bob.page.locator("[aria-disabled=true]")).waitFor();
    await bob.page.keyboard.press("Enter");
    expect(await bob.page.getByRole("dialog", { name: "Cancel this run?" }).count()).toBe(0);
    await seek(page, "cancel");
    await page.keyboard.press("Enter");
    await page
      .getByRole("dialog", { name: "Cancel this run?" })
      .getByRole("button", { name: "Cancel run" })
      .click();
    for (const window of [page, bob.page]) await badge(window, "cancelled").waitFor();
  });

  test("a run is paused after the step under way, and goes on when it is resumed", async () => {
    const { page } = ada;
    const gate = join(folder, "gate");
    await workflow("slow", [
      { name: "first", run: `while [ ! -e ${gate} ]; do sleep 0.1; done` },
      { name: "second", needs: ["first"], run: "true" },
    ]);
    const id = await open("slow", page);
    await node(page, /^first: running/).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    writeFileSync(gate, "");
    await node(page, /^second: .*paused/).waitFor();
    expect((await owner.call("GET", `/api/v1/runs/${id}`)).body).toMatchObject({
      state: "running",
      paused: true,
    });
    await bob.page.goto(page.url());
    await refused(bob.page, "Resume", "You need runs:resume in acme/shop");
    await page.getByRole("button", { name: "Resume" }).click();
    await badge(page, "succeeded").waitFor();
    expect(await look(id)).toEqual({ run: "succeeded", first: "succeeded", second: "succeeded" });
    await refused(page, "Pause", "It has ended: succeeded");
  });

  test("steps that nobody can do are skipped, with what needs them or as if they had succeeded", async () => {
    const { page } = ada;
    const nowhere = { selector: "pool=nowhere", run: "true" };
    await workflow("stuck", [
      { name: "left", needs: [], ...nowhere },
      { name: "after-left", needs: ["left"], run: "true" },
      { name: "right", needs: [], ...nowhere },
      { name: "after-right", needs: ["right"], run: "true" },
    ]);
    const id = await open("stuck", page);
    await node(page, /^left: /).click();
    await bob.page.goto(`${server.url}/runs/${id}?step=0`);
    await refused(bob.page, "Skip", "You need runs:skip in acme/shop");
    await refused(bob.page, "Skip as succeeded", "You need runs:skip in acme/shop");
    await confirm(page, "Skip", "Skip left?");
    await node(page, /^after-left: skipped/).waitFor();
    await node(page, /^right: /).click();
    await page.getByRole("region", { name: "Step right" }).waitFor();
    await confirm(page, "Skip as succeeded", "Skip right as succeeded?");
    await node(page, /^after-right: succeeded/).waitFor();
    expect(await look(id)).toMatchObject({
      ...{ left: "skipped", "after-left": "skipped" },
      "after-right": "succeeded",
    });
    await refused(page, "Skip", "It has ended");
  });

  test("what may happen once and was lost with its machine is decided by a person: it happened, it failed, or again", async () => {
    const { page } = ada;
    const began = (name: string) => join(folder, `began-${name}`);
    const gate = join(folder, "again");
    const names = ["happened", "failed", "again"] as const;
    for (const name of names)
      await workflow(name, [
        {
          name: "once",
          effect: "at-most-once",
          selector: "pool=edge",
          run: `touch ${began(name)}; while [ ! -e ${gate} ]; do sleep 0.1; done`,
        },
      ]);
    const [happened, failed, again] = [await begin("happened"), await begin("failed"), await begin("again")];
    await until("all to begin", () => names.every((name) => existsSync(began(name))), 60_000);
    // The machine comes back with an empty disk: what it had begun is lost.
    await edge.wipe();
    writeFileSync(gate, "");
    await edge.join(await joinToken(owner, "edge-again", { replace: true }));
    edge.start();

    await bob.page.goto(`${server.url}/runs/${happened}`);
    await bob.page.getByText("once may have happened").waitFor();
    for (const name of ["It happened", "It failed", "Do it again"])
      await refused(bob.page, name, "You need runs:decide in acme/shop");
    await page.goto(`${server.url}/runs/${happened}`);
    await page.getByRole("alert").getByRole("button", { name: "It happened" }).click();
    await badge(page, "succeeded").waitFor();
    expect(await attemptsOf(happened)).toBe(1);
    await badge(bob.page, "succeeded").waitFor();

    await page.goto(`${server.url}/runs/${failed}`);
    await page.getByRole("alert").getByRole("button", { name: "It failed" }).click();
    await badge(page, "failed").waitFor();
    expect(await look(failed)).toEqual({ run: "failed", once: "failed" });
    expect(await attemptsOf(failed)).toBe(1);

    await page.goto(`${server.url}/runs/${again}`);
    await page.getByRole("alert").getByRole("button", { name: "Do it again" }).click();
    await badge(page, "succeeded").waitFor();
    expect(await attemptsOf(again)).toBe(2);
  });

  test("a run is cancelled with a reason, and who has no rights sees every action disabled with its own", async () => {
    const { page } = ada;
    const id = await open("release", page);
    await bob.page.goto(`${server.url}/`);
    await bob.page
      .getByRole("link", { name: /ask of release waits for an approval/ })
      .getByText("Not for you to do: you need runs:approve in acme/shop.")
      .waitFor();
    await bob.page
      .getByRole("table", { name: "Recent activity" })
      .getByText("Run of release")
      .first()
      .waitFor();
    await bob.page.goto(page.url());
    await bob.page.getByText("ask waits for an approval").waitFor();
    for (const [name, verb] of [
      ["Approve", "approve"],
      ["Reject", "approve"],
      ["Pause", "pause"],
      ["Cancel run", "cancel"],
    ] as const)
      await refused(bob.page, name, `You need runs:${verb} in acme/shop`);
    // What the run itself forbids comes first, for everybody.
    await refused(bob.page, "Retry all", "It has not ended; cancel it first");
    await page.getByRole("button", { name: "Cancel run" }).click();
    const dialog = page.getByRole("dialog", { name: "Cancel this run?" });
    await dialog.getByLabel("Why (optional)").fill("it is Friday");
    await dialog.getByRole("button", { name: "Cancel run" }).click();
    for (const window of [page, bob.page]) await badge(window, "cancelled").waitFor();
    const { body } = await owner.call("GET", `/api/v1/runs/${id}`);
    expect(body).toMatchObject({ state: "cancelled", why: expect.stringContaining("it is Friday") });
    await refused(bob.page, "Retry all", "You need runs:retry in acme/shop");
  });
});

function node(page: Page, label: RegExp) {
  return page.locator(".react-flow__node").and(page.getByLabel(label));
}

function badge(page: Page, state: string) {
  return page.locator(`header [data-state='${state}']`);
}

async function confirm(page: Page, action: string, question: string): Promise<void> {
  await page.getByRole("button", { name: action, exact: true }).first().click();
  const dialog = page.getByRole("dialog", { name: question });
  await dialog.getByRole("button", { name: action, exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

async function put(path: string, body: object): Promise<void> {
  const made = await owner.call("PUT", path, { body });
  expect(made.status, made.text).toBeLessThan(300);
}

const workflow = (name: string, steps: readonly object[]) =>
  put(`${shop}/workflows/${name}`, { spec: { steps } });

async function begin(name: string): Promise<string> {
  const begun = await owner.call("POST", `${shop}/workflows/${name}/actions/trigger`, { body: {} });
  expect(begun.status, begun.text).toBeLessThan(300);
  return begun.body.run;
}

/** Begins a run and shows it. */
async function open(name: string, page: Page): Promise<string> {
  const id = await begin(name);
  await page.goto(`${server.url}/runs/${id}`);
  return id;
}

async function stepsOf(id: string): Promise<{ name: string; state: string; attempt: number }[]> {
  return (await owner.call("GET", `/api/v1/runs/${id}/steps`)).body.items;
}

const attemptsOf = async (id: string) => (await stepsOf(id))[0]?.attempt;

/** The state of the run and of each of its steps, as the API tells them. */
async function look(id: string): Promise<Record<string, string>> {
  const steps = (await stepsOf(id)).map(({ name, state }) => [name, state]);
  return { run: (await owner.call("GET", `/api/v1/runs/${id}`)).body.state, ...Object.fromEntries(steps) };
}
