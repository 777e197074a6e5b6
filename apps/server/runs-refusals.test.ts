import { contains, type Scope } from "@reeve/model";
import { step } from "@reeve/runs/testing";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { behindProxy, done, newUser, type Person } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";

/** What each role may do with runs, written by hand. */
const rolesByHand: Record<string, readonly string[]> = {
  owner: ["read", "cancel", "pause", "resume", "retry", "skip", "approve", "decide"],
  editor: ["read", "cancel", "pause", "resume", "retry", "skip", "approve", "decide"],
  viewer: ["read"],
  auditor: ["read"],
  operator: ["read", "pause", "resume"],
  blind: ["cancel", "approve"],
};

/** Every route of one run, with the permission it needs, as a request that does nothing to the run when it is allowed. */
const routes: readonly (readonly [method: string, path: string, verb: string, body?: object])[] = [
  ["GET", "", "read"],
  ["GET", "/steps", "read"],
  ["GET", "/events", "read"],
  ["GET", "/steps/0/attempts", "read"],
  ["POST", "/resume", "resume", {}],
  ["POST", "/retry", "retry", {}],
  ["POST", "/steps/9/skip", "skip", {}],
  ["POST", "/steps/9/approve", "approve", {}],
  ["POST", "/steps/9/reject", "approve", {}],
  ["POST", "/steps/9/decide", "decide", { outcome: "again" }],
  // These two do something, and only once.
  ["POST", "/pause", "pause", {}],
  ["POST", "/cancel", "cancel", {}],
];

test("every route of a run answers every role at every place as the table says, and denials are recorded", {
  timeout: 120_000,
}, async () => {
  const server = await testServer({ settings: behindProxy });
  const world = openRunWorld(server);
  for (const path of [
    "/organizations/other",
    "/organizations/acme/projects/shop",
    "/organizations/acme/projects/else",
  ])
    await done(server.call("PUT", path, { body: {} }));
  for (const [name, verbs] of Object.entries(rolesByHand).slice(4))
    await done(
      server.call("PUT", `/organizations/acme/roles/${name}`, {
        body: { spec: { allows: verbs.map((verb) => `runs:${verb}`) } },
      }),
    );
  const places: Scope[] = ["", "acme", "acme/shop", "acme/else", "other"];
  const askers: { person: Person; role: string; at: Scope }[] = [];
  for (const role of Object.keys(rolesByHand))
    for (const at of places) {
      const custom = role === "operator" || role === "blind";
      if (custom && !contains("acme", at)) continue;
      const name = `${role}-${at.replace("/", "-") || "all"}`;
      askers.push({ person: await newUser(server, name, [{ role, scope: at }]), role, at });
    }
  const nobody = await newUser(server, "nobody");
  const wrong: string[] = [];
  let denials = 0;
  const expectStatus = async (
    who: string,
    call: ReturnType<Person["call"]>,
    expected: readonly number[],
    what: string,
  ) => {
    const { status, body } = await call;
    if (!expected.includes(status))
      wrong.push(`${who} ${what}: ${status} ${JSON.stringify(body)}, expected ${expected}`);
    if ([401, 403].includes(status) || (status === 404 && !JSON.stringify(body).includes("has no step")))
      denials++;
    if (status === 404 && JSON.stringify(body).includes("shop")) wrong.push(`${who} ${what}: tells too much`);
  };
  for (const [method, path, verb, body] of routes)
    for (const { person, role, at } of askers) {
      const id = await world.begin({ steps: [step("a")] }, { scope: "acme/shop" });
      const reaches = contains(at, "acme/shop");
      const may = (one: string) => reaches && rolesByHand[role]?.includes(one) === true;
      const allowed = path.includes("/9/") ? [404] : path === "/resume" || path === "/retry" ? [412] : [200];
      const expected = !may("read") ? [404] : may(verb) ? allowed : [403];
      const options = body === undefined ? {} : { body };
      await expectStatus(
        person.name,
        person.call(method, `/runs/${id}${path}`, options),
        expected,
        `${method} ${path}`,
      );
    }
  const id = await world.begin({ steps: [step("a")] }, { scope: "acme/shop" });
  for (const [method, path, , body] of routes) {
    const options = body === undefined ? {} : { body };
    await expectStatus("nobody", nobody.call(method, `/runs/${id}${path}`, options), [404], path);
    await expectStatus(
      "anonymous",
      server.call(method, `/runs/${id}${path}`, { token: null, ...options }),
      [401],
      path,
    );
  }
  expect(wrong).toEqual([]);
  const [row] = await server.database.query<{ count: number }>(
    // Those without an identity are turned away before it is looked whether there is such a run.
    "select count(*) as count from audit where (kind = 'Run' or name like '/api/v1/runs/%') and outcome = 'denied' and revision > $1",
    [0],
  );
  expect(row?.count).toBe(denials);
});

test("lists, streams and bulk cancels reach only what the caller may, and a stranger's run looks like none", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/other", { body: {} }));
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const theirs = await world.begin({ steps: [step("a")] }, { scope: "other" });
  const own = await world.begin({ steps: [step("a")] }, { scope: "acme/shop" });
  const eve = await newUser(server, "eve", [{ role: "editor", scope: "acme/shop" }]);
  const missing = "01980000-0000-7000-8000-000000000000";
  const told = async (id: string) =>
    JSON.stringify((await eve.call("GET", `/runs/${id}`)).body.detail).replaceAll(id, "ID");
  expect(await told(theirs)).toBe(await told(missing));
  expect(await told(theirs.slice(-8))).toBe(await told(missing.slice(-8)));
  expect((await eve.call("GET", `/runs/${theirs}?watch=true`)).status).toBe(404);
  expect((await eve.call("GET", "/runs?scope=other&watch=true")).status).toBe(404);
  expect((await eve.call("POST", "/runs/cancel", { body: { scope: "other" } })).status).toBe(404);
  const cancelled = await done(eve.call("POST", "/runs/cancel", { body: { scope: "" } }));
  expect(cancelled.body).toEqual({ cancelled: [own], more: false });
  expect((await world.run(theirs)).state).toBe("running");
});
