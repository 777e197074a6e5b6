import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { patientWithLinks } from "./testing-agents.ts";
import { newUser } from "./testing-people.ts";
import { keeping, type Linked, linked } from "./testing-services.ts";
import { answerDial } from "./testing-tunnels.ts";

/** What is asked of a host's engine, who may ask, and what is recorded of it; agents here are only links. */

/** Answers the next dial; what was asked. */
async function answer({ client, line }: Linked, value: unknown, why = ""): Promise<unknown> {
  const dial = await line.hear("dial");
  const tunnel = answerDial(client, dial);
  if (why === "") await tunnel.say({ case: "data", value: Buffer.from(JSON.stringify(value)) });
  await tunnel.say({ case: "end", value: { why } });
  return [dial.opens, JSON.parse(dial.with)];
}

test("what a host has is for who may read it, its files and their end for who may change it; and pruning is recorded", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const one = await linked(server, "one", keeping);
  const vera = await newUser(server, "vera", [{ role: "viewer", scope: "" }]);
  const nobody = await newUser(server, "nobody");
  const items = [{ kind: "volume", id: "data" }];

  const reading = vera.call("GET", "/hosts/one/storage");
  expect(await answer(one, [])).toEqual(["service-storage", {}]);
  expect(await reading).toMatchObject({ status: 200, body: { items: [] } });
  expect((await vera.call("GET", "/hosts/one/compose-projects/shop")).body.detail).toContain("hosts:update");
  expect((await vera.call("POST", "/hosts/one/prune", { body: { items } })).body.detail).toContain(
    "hosts:update",
  );
  for (const path of ["storage", "compose-projects", "compose-projects/shop"])
    expect((await nobody.call("GET", `/hosts/one/${path}`)).status).toBe(404);
  expect((await nobody.call("POST", "/hosts/one/prune", { body: { items } })).status).toBe(404);
  expect((await server.call("POST", "/hosts/one/prune", { body: { items: [] } })).status).toBe(422);

  const done = { removed: [], left: [{ kind: "volume", name: "data", why: "containers use it" }] };
  const pruning = server.call("POST", "/hosts/one/prune", { body: { items } });
  expect(await answer(one, done)).toEqual(["service-storage", { remove: items }]);
  expect(await pruning).toMatchObject({ status: 200, body: done });
  const failing = server.call("POST", "/hosts/one/prune", { body: { items } });
  await answer(one, undefined, "the engine went away after the first");
  expect((await failing).status).toBe(412);
  const { body } = await server.call("GET", "/audit?kind=Host&outcome=done");
  const told = body.items.filter((row: { operation: string }) => row.operation.startsWith("prune"));
  expect(told.map((row: { operation: string; detail: object }) => [row.operation, row.detail])).toEqual([
    ["prune-end", { failed: "the engine went away after the first" }],
    ["prune", { items }],
    ["prune-end", done],
    ["prune", { items }],
  ]);

  const found = {
    project: "shop",
    folder: "/srv/shop",
    containers: [],
    variables: [],
    clear: [],
    changes: [],
  };
  const files = { "compose.yaml": "services:\n  web:\n    build: .\n" };
  const looking = server.call("GET", "/hosts/one/compose-projects/shop");
  expect(await answer(one, { ...found, compose: ["compose.yaml"], files })).toEqual([
    "service-projects",
    { project: "shop" },
  ]);
  expect((await looking).body.troubles).toEqual([expect.stringContaining("images are not built")]);
  const refused = server.call("GET", "/hosts/one/compose-projects/shop");
  await answer(one, undefined, "its file lies outside of /srv/shop");
  expect(await refused).toMatchObject({ status: 412, body: { detail: expect.stringContaining("outside") } });
});
