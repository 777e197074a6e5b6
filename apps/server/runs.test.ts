import { newUid, type Run, type RunResult, type Step } from "@reeve/model";
import { step } from "@reeve/runs/testing";
import { expect, test, vi } from "vitest";
import { testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";

const until = (fits: () => Promise<boolean>) => vi.waitUntil(fits, { timeout: 60_000, interval: 50 });
const succeeds = () => ({ outputs: { rows: 3 } });

test("a run and its steps are read as they are, by the whole id or its end", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await world.agent(succeeds);
  const load = step("load", { needs: [0], over: { items: ["a", "b"] } });
  const id = await world.begin({ steps: [step("extract"), load] }, { inputs: { day: "monday" } });
  await until(async () => (await world.run(id)).state === "succeeded");
  const run = await world.run(id.slice(-8).toUpperCase());
  expect(run).toMatchObject({
    id,
    scope: "acme/shop",
    cause: "person",
    by: "user:ada",
    inputs: { day: "monday" },
  });
  expect(Date.parse(run.endedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(run.startedAt ?? ""));
  const steps = await world.steps(id);
  expect(steps.map(({ seq, name, state }) => [seq, name, state])).toEqual([
    [0, "extract", "succeeded"],
    [1, "load", "succeeded"],
    [2_000_000, "load[0]", "succeeded"],
    [2_000_001, "load[1]", "succeeded"],
  ]);
  expect(steps[0]).toMatchObject({ executor: "noop", attempt: 1, outputs: { rows: 3 }, needs: [] });
  expect(steps[1]).toMatchObject({ items: { succeeded: 2 }, needs: [0] });
  expect(steps[3]).toMatchObject({ parent: 1, item: "b", host: expect.stringContaining("agent-") });
  expect((await world.steps(id, "?parent=none")).map(({ seq }) => seq)).toEqual([0, 1]);
  expect((await world.steps(id, "?parent=1&state=succeeded,failed")).map(({ item }) => item)).toEqual([
    "a",
    "b",
  ]);
  const first = (await server.call("GET", `/runs/${id}/steps?limit=3`)).body;
  expect([first.items.length, first.continue]).toEqual([3, "2000000"]);
  expect((await server.call("GET", `/runs/${id}/steps?limit=3&continue=2000000`)).body.items).toHaveLength(1);
});

test("a list has the newest first, of the scopes one may read, narrowed by what is asked", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const shop = await world.begin({ steps: [step("a")] }, { scope: "acme/shop" });
  const acme = await world.begin({ steps: [step("a")] }, { scope: "acme", cause: "schedule" });
  const other = await world.begin({ steps: [step("a")] }, { scope: "other" });
  const found = async (query: string, token?: string) =>
    (await done(server.call("GET", `/runs${query}`, token === undefined ? {} : { token }))).body.items.map(
      (run: Run) => run.id,
    );
  expect(await found("")).toEqual([other, acme, shop]);
  expect(await found("?scope=acme")).toEqual([acme, shop]);
  expect(await found("?scope=acme/shop")).toEqual([shop]);
  expect(await found("?cause=schedule&state=running,queued")).toEqual([acme]);
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme/shop" }]);
  expect(await found("", eve.token)).toEqual([shop]);
  expect(await found("?scope=acme", eve.token)).toEqual([shop]);
  expect((await eve.call("GET", "/runs?scope=other")).status).toBe(404);
  const page = (await server.call("GET", "/runs?limit=2")).body;
  expect(page.items.map((run: Run) => run.id)).toEqual([other, acme]);
  expect(await found(`?limit=2&continue=${page.continue}`)).toEqual([shop]);
});

test("the newest runs of several definitions come in one answer, as far as one may read them", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const about = (name: string) => ({ kind: "Workflow", name, uid: newUid(), generation: 1 });
  const [busy, quiet, elsewhere] = [about("busy"), about("quiet"), about("elsewhere")];
  const begin = (one: typeof busy, scope = "acme/shop") =>
    world.begin({ steps: [step("a")] }, { about: one, scope });
  const first = await begin(busy);
  const second = await begin(busy);
  const third = await begin(busy);
  const only = await begin(quiet);
  const other = await begin(elsewhere, "other");
  const of = [busy, quiet, elsewhere].map(({ uid }) => uid).join(",");
  const found = async (query: string, token?: string) =>
    (await done(server.call("GET", `/runs/latest?of=${query}`, token === undefined ? {} : { token }))).body
      .items as RunResult[];
  const ids = (results: RunResult[], { uid }: typeof busy) =>
    results.filter((one) => one.of === uid).map(({ id }) => id);
  const all = await found(`${of}&each=2`);
  expect([ids(all, busy), ids(all, quiet), ids(all, elsewhere)]).toEqual([[third, second], [only], [other]]);
  expect(all[0]).toMatchObject({
    state: expect.any(String),
    createdAt: expect.any(String),
    why: expect.any(String),
  });
  expect(ids(await found(of), busy)).toEqual([third, second, first]);
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme/shop" }]);
  expect(new Set((await found(of, eve.token)).map((one) => one.of))).toEqual(new Set([busy.uid, quiet.uid]));
  const nobody = await newUser(server, "nobody", []);
  expect((await nobody.call("GET", `/runs/latest?of=${of}`)).status).toBe(403);
  expect((await server.call("GET", "/runs/latest?of=busy")).status).toBe(422);
});

test("runs that wait for a person are found by that, each with the step that does; the others say what holds them up", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  await world.agent(succeeds);
  const ask = step("ask", { needs: [0], body: { does: "approve", text: "Is it announced?" } });
  const asks = await world.begin({ steps: [step("a"), ask] }, { scope: "acme/shop" });
  const elsewhere = await world.begin({ steps: [step("a"), ask] }, { scope: "other" });
  const stuck = await world.begin({ steps: [step("b", { selector: "zone=nowhere" })] });
  const ended = await world.begin({ steps: [step("a")] });
  const listed = async (query: string, token?: string) =>
    (await done(server.call("GET", `/runs${query}`, token === undefined ? {} : { token }))).body
      .items as Run[];
  const ids = async (query: string, token?: string) => (await listed(query, token)).map(({ id }) => id);
  await until(async () => (await ids("?waiting=approval")).length === 2);
  await until(async () => (await world.run(ended)).state === "succeeded");
  expect(await ids("?waiting=approval,lost")).toEqual([elsewhere, asks]);
  expect(await ids("?waiting=approval&scope=acme")).toEqual([asks]);
  expect(await ids("?waiting=lost")).toEqual([]);
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme/shop" }]);
  expect(await ids("?waiting=approval", eve.token)).toEqual([asks]);
  expect((await server.call("GET", "/runs?waiting=agent")).status).toBe(422);
  const waits = async (id: string) => (await listed("")).find((run) => run.id === id)?.waits;
  expect(await waits(asks)).toEqual({
    seq: 1,
    step: "ask",
    reason: "approval",
    why: "approval pending: Is it announced?",
  });
  expect(await waits(ended)).toBeUndefined();
  // What has been ready for a moment only is about to begin.
  await server.database.query("update step set ready_at = now() - interval '1 minute' where run = $1", [
    stuck,
  ]);
  expect(await waits(stuck)).toEqual({ seq: 0, step: "b", reason: "agent", why: "waits for an agent" });
  await done(server.call("POST", `/runs/${asks}/steps/1/approve`, { body: {} }));
  await until(async () => (await ids("?waiting=approval")).length === 1);
});

test("what waits says for what", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const a = step("a", { selector: "zone=a" });
  const id = await world.begin({ steps: [a, step("b", { needs: [0] })] });
  const why = async (name: string) => (await world.step(id, name)).why;
  expect(await why("a")).toMatch(/no agent serves acme\/shop/);
  expect(await why("b")).toBe("waits for a");
  await world.agent(() => "never", { labels: { zone: "b" } });
  await until(async () => (await why("a")).startsWith("no connected agent matches zone=a; 1 agent: agent-"));
  expect(await why("a")).toContain("(zone=b)");
  const matching = await world.agent(() => "never", { labels: { zone: "a" }, slots: 1 });
  await until(async () => (await world.step(id, "a")).state === "running");
  const next = await world.begin({ steps: [a] });
  await until(async () =>
    /all slots of the agent .* are taken \(1 of 1\)/.test((await world.step(next, "a")).why),
  );
  await server.database.query("update agent set drained = true where uid = $1", [matching.uid]);
  await until(async () => (await world.step(next, "a")).why.startsWith("drained: agent-"));
  await server.database.query("update agent set drained = false, state = 'lost' where uid = $1", [
    matching.uid,
  ]);
  await until(async () =>
    /not connected: agent-\w+ \(lost, last seen/.test((await world.step(next, "a")).why),
  );
  await until(async () => /its agent agent-\w+ is lost, last seen/.test(await why("a")));
  const python = await world.begin({
    steps: [step("p", { body: { does: "execute", executor: "python", with: {} } })],
  });
  expect((await world.step(python, "p")).why).toMatch(/no agent has the executor python; 2 agents/);
});

test("approvals, timers, retries and limits say for what they wait, and until when", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await world.agent(({ step: name }) =>
    name === "flaky" ? { outcome: "failed", why: "exit 1", exitCode: 1 } : "never",
  );
  const graph = {
    steps: [
      step("ask", { body: { does: "approve", text: "deploy to prod?", expiresMs: 3_600_000 } }),
      step("rest", { body: { does: "wait", ms: 3_600_000 } }),
      step("flaky", { retry: { times: 3, delayMs: 3_600_000 } }),
    ],
    limit: { key: "one", most: 1, over: "queue" },
  } as const;
  const id = await world.begin(graph);
  await until(async () => (await world.step(id, "flaky")).state === "waiting");
  const steps = Object.fromEntries((await world.steps(id)).map((one) => [one.name, one])) as Record<
    string,
    Step
  >;
  expect(steps.ask?.why).toMatch(/^approval pending until 20\d\d-.*Z: deploy to prod\?$/);
  expect(steps.rest?.why).toMatch(/^waits until 20/);
  expect(steps.flaky?.why).toMatch(/exit 1.*\(at 20/);
  expect(Date.parse(steps.flaky?.nextAt ?? "")).toBeGreaterThan(Date.now());
  const second = await world.begin(graph);
  expect(await world.run(second)).toMatchObject({
    state: "queued",
    why: expect.stringContaining(`test ${id.slice(-8)}`),
  });
  expect((await world.step(second, "ask")).why).toBe("the run is queued");
});

test("a fan-out of 50,000 items is read in pages, and as counts of its step", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const items = Array.from({ length: 50_000 }, (_, at) => at);
  const id = await world.begin({ steps: [step("wide", { over: { items } })] });
  await until(async () => (await world.steps(id, "?parent=none"))[0]?.items?.ready === 50_000);
  const page = (await server.call("GET", `/runs/${id}/steps`)).body;
  expect(page.items).toHaveLength(200);
  expect(page.items[1]).toMatchObject({ name: "wide[0]", item: 0, parent: 0 });
  const last = (await server.call("GET", `/runs/${id}/steps?parent=0&continue=${1_000_000 + 49_998}`)).body;
  expect((await server.call("GET", `/runs/${id}/steps?seq=${1_000_000 + 49_999}`)).body).toEqual(last);
  expect(last.items.map(({ name }: Step) => name)).toEqual(["wide[49999]"]);
});
