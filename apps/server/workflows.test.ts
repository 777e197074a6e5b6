import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";

const acme = "/organizations/acme";
const shop = `${acme}/projects/shop`;
const greet = `${shop}/workflows/greet`;

const spec = {
  inputs: { name: { default: "world" }, count: { type: "integer", least: 1 }, env: { required: true } },
  steps: [
    { name: "hello", run: 'echo "${{ inputs.name }}"' },
    { name: "bye", run: "echo bye" },
  ],
};

async function workflows(): Promise<TestServer> {
  const server = await testServer();
  await done(server.call("PUT", shop, { body: {} }));
  await done(server.call("PUT", greet, { body: { spec } }));
  return server;
}

const runsOf = (server: TestServer) =>
  server.database.query<{
    id: string;
    state: string;
    inputs: object;
    by: string;
    cause: string;
    generation: number;
    priority: number;
  }>("select id, state, inputs, by, cause, generation, priority from run order by id");

test("a workflow that cannot work is refused with every problem at its place", async () => {
  const server = await workflows();
  const { status, body } = await server.call("PUT", greet, {
    body: {
      spec: {
        steps: [
          { name: "a", run: "${{ inputs.nope }}", needs: ["b"] },
          { name: "a", wait: "1s" },
        ],
      },
    },
  });
  expect(status).toBe(422);
  expect(body.errors.map((one: { pointer: string }) => one.pointer)).toEqual([
    "/spec/steps/1/name",
    "/spec/steps/0/needs/0",
    "/spec/steps/0/run",
  ]);
});

test("a trigger begins one run, pinned to the generation, and its repeat hears the same run", async () => {
  const server = await workflows();
  await done(server.call("PATCH", greet, { body: { spec: { description: "two" } } }));
  const trigger = () =>
    server.call("POST", `${greet}/actions/trigger`, {
      headers: { "idempotency-key": "once" },
      body: { inputs: { env: "dev", count: 2 }, priority: 7 },
    });
  const first = await done(trigger());
  const again = await done(trigger());
  expect(again.body).toEqual(first.body);
  expect(await runsOf(server)).toEqual([
    {
      id: first.body.run,
      state: "running",
      inputs: { name: "world", count: 2, env: "dev" },
      by: "user:ada",
      cause: "person",
      generation: 2,
      priority: 7,
    },
  ]);
  const steps = await server.database.query("select state from step order by seq");
  expect(steps).toEqual([{ state: "ready" }, { state: "blocked" }]);
});

test("wrong inputs are told one by one, and nothing begins", async () => {
  const server = await workflows();
  const one = await server.call("POST", `${greet}/actions/trigger`, {
    body: { inputs: { count: 0, nope: 1 } },
  });
  expect(one.status).toBe(422);
  expect(one.body.errors).toEqual([
    { pointer: "/inputs/nope", message: "there is no such input; the inputs are env, name, count" },
    { pointer: "/inputs/env", message: "is required (a text)" },
    { pointer: "/inputs/count", message: "must be at least 1" },
  ]);
  const many = await server.call("POST", `${greet}/actions/trigger-many`, {
    body: { runs: [{ inputs: { env: "a" } }, { inputs: {} }] },
  });
  expect(many.body.errors).toEqual([{ pointer: "/runs/1/inputs/env", message: "is required (a text)" }]);
  expect(await runsOf(server)).toEqual([]);
});

test("ten thousand at once are one transaction and one line in the audit", async () => {
  const server = await workflows();
  const runs = Array.from({ length: 10_000 }, (_, at) => ({ inputs: { env: `e${at}` } }));
  const { body } = await done(server.call("POST", `${greet}/actions/trigger-many`, { body: { runs } }));
  expect(new Set(body.runs).size).toBe(10_000);
  const [count] = await server.database.query<{ runs: number }>("select count(*) as runs from run");
  expect(count?.runs).toBe(10_000);
  const audits = await server.database.query("select detail from audit where operation = 'trigger-many'");
  expect(audits).toEqual([{ detail: { runs: 10_000 } }]);
});

test("a paused workflow begins nothing and says why; resumed, it does again", async () => {
  const server = await workflows();
  const trigger = () => server.call("POST", `${greet}/actions/trigger`, { body: { inputs: { env: "dev" } } });
  await done(server.call("PATCH", greet, { body: { metadata: { paused: true } } }));
  const refused = await trigger();
  expect([refused.status, refused.body.detail]).toEqual([
    412,
    expect.stringContaining("the workflow is paused"),
  ]);
  await done(server.call("PATCH", greet, { body: { metadata: { paused: false } } }));
  expect((await trigger()).status).toBe(200);
});

test("who only reads cannot begin a run, and who knows nothing of the scope hears nothing of it", async () => {
  const server = await workflows();
  const viewer = await newUser(server, "vera", [{ role: "viewer", scope: "acme" }]);
  const stranger = await newUser(server, "sten", []);
  const path = `${greet}/actions/trigger`;
  expect((await viewer.call("POST", path, { body: {} })).status).toBe(403);
  expect((await stranger.call("POST", path, { body: {} })).status).toBe(404);
});
