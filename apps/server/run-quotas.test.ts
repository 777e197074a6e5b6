import { readResource } from "@reeve/store";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done } from "./testing-people.ts";

const acme = "/organizations/acme";
const naps = [{ name: "nap", wait: "1h" }];

async function limited(runs: number): Promise<TestServer> {
  const server = await testServer();
  await limit(server, runs);
  await workflow(server, "nap", { steps: naps });
  return server;
}

const limit = (server: TestServer, runs: number) =>
  done(server.call("PUT", `${acme}/quotas/plan`, { body: { spec: { limits: { runs } } } }));
const workflow = (server: TestServer, name: string, spec: object) =>
  done(server.call("PUT", `${acme}/workflows/${name}`, { body: { spec } }));
const begin = (server: TestServer, name = "nap") =>
  server.call("POST", `${acme}/workflows/${name}/actions/trigger`, { body: {} });
const openRuns = async ({ database }: TestServer) =>
  (await database.query("select id from run where ended_at is null")).length;

test("a quota of runs holds until runs end, and says what to do; other organizations are not concerned", async () => {
  const server = await limited(2);
  const first = await begin(server);
  expect(first.status).toBe(200);
  expect((await begin(server)).status).toBe(200);
  expect(await begin(server)).toMatchObject({
    status: 412,
    body: {
      detail: "the quota of acme has no room for another run",
      next: expect.stringContaining("cancel some"),
    },
  });
  expect(await openRuns(server)).toBe(2);
  await done(server.call("PUT", "/organizations/other", { body: {} }));
  await done(server.call("PUT", "/organizations/other/workflows/nap", { body: { spec: { steps: naps } } }));
  await done(server.call("POST", "/organizations/other/workflows/nap/actions/trigger", { body: {} }));
  const { run } = first.body;
  await done(server.call("POST", `/runs/${run}/cancel`, { body: {} }));
  await expect.poll(() => openRuns(server)).toBe(2);
  await done(begin(server));
  // One that is done over needs a place like any other.
  expect((await server.call("POST", `/runs/${run}/retry`, { body: { from: "start" } })).status).toBe(412);
  await limit(server, 3);
  await done(server.call("POST", `/runs/${run}/retry`, { body: { from: "start" } }));
  expect((await begin(server)).status).toBe(412);
});

test("of many that are begun on two replicas at once, as many as there is room for begin", async () => {
  const server = await limited(5);
  const other = await testServer({ share: server });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => begin(at % 2 ? server : other)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
  expect(await openRuns(server)).toBe(5);
});

test("runs are counted when the known room is used up, and not for each", async () => {
  const server = await limited(4);
  await done(begin(server));
  const room = () => server.database.query("select most, room from run_room");
  expect(await room()).toEqual([{ most: 4, room: 3 }]);
  // What ends is not noted: it is found when it is needed.
  await server.database.query("update run set ended_at = now()");
  await done(begin(server));
  expect(await room()).toEqual([{ most: 4, room: 2 }]);
  await limit(server, 2);
  await done(begin(server));
  expect((await begin(server)).status).toBe(412);
  await done(server.call("DELETE", `${acme}/quotas/plan`));
  expect(await room()).toEqual([]);
  await done(begin(server));
});

test("a tick without room is recorded as skipped, with the reason", async () => {
  const server = await limited(0);
  await workflow(server, "often", { steps: naps, schedules: [{ name: "each", cron: "* * * * * *" }] });
  const ticks = () =>
    server.database.query<{ state: string; why: string }>(
      "select r.state, r.why from schedule_tick t join run r on r.id = t.run limit 1",
    );
  const why = "the quota of acme has no room for another run";
  await expect.poll(ticks, { timeout: 60_000 }).toEqual([{ state: "skipped", why }]);
});

test("a step that begins another run is not held up by a quota that its own run fills", async () => {
  const server = await limited(1);
  await workflow(server, "outer", { steps: [{ name: "inner", workflow: { name: "nap" } }] });
  await done(begin(server, "outer"));
  await expect.poll(() => openRuns(server)).toBe(2);
  expect((await begin(server)).status).toBe(412);
  const at = { kind: "Quota", scope: "acme", name: "plan" };
  const used = async () => (await readResource(server.database, at))?.status.used;
  await expect.poll(used, { timeout: 60_000 }).toEqual({ runs: 1 });
});
