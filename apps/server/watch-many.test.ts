import { step } from "@reeve/runs/testing";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { done, newUser } from "./testing-people.ts";
import { openRunWorld } from "./testing-runs.ts";
import { type Heard, openWatch, type TestWatch } from "./testing-watch.ts";

const accounts = { kind: "ServiceAccount", scope: "acme" };

interface News {
  readonly on: number;
  readonly revision?: number;
  readonly resource?: { metadata: { name: string } };
  readonly run?: { id: string; state: string };
  readonly step?: { name: string; state: string };
  readonly problem?: { kind: string };
}

const news = ({ data }: Heard) => data as unknown as News;

function open(server: TestServer, parts: readonly object[], token?: string): Promise<TestWatch> {
  const path = `/watch?on=${encodeURIComponent(JSON.stringify(parts))}`;
  return openWatch(server, path, token === undefined ? {} : { token });
}

function said(watch: TestWatch, on: number): string[] {
  const own = watch.heard.filter((one) => news(one).on === on);
  return own.map((one) => {
    const { resource, run, step, problem } = news(one);
    const about = resource?.metadata.name ?? run?.state ?? step?.name ?? problem?.kind;
    return about === undefined ? one.event : `${one.event} ${about}`;
  });
}

const synced = (watch: TestWatch, on: number) =>
  watch.find((one) => one.event === "synced" && news(one).on === on);

test("one stream tells of lists, of runs and of a run what each alone would tell", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/ci", { body: {} }));
  const id = await world.begin({ steps: [step("a")] });
  const watch = await open(server, [
    accounts,
    { kind: "Project", scope: "", deep: true },
    { run: id },
    { runs: { limit: "10" } },
  ]);
  for (const on of [0, 1, 2, 3]) await synced(watch, on);
  expect(said(watch, 0)).toEqual(["added ci", "synced"]);
  expect(said(watch, 1)).toEqual(["synced"]);
  expect(said(watch, 2)).toEqual(expect.arrayContaining(["run running", "step a"]));
  expect(said(watch, 3)).toEqual(["run running", "synced"]);

  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  await watch.find((one) => one.event === "added" && news(one).on === 1);
  expect(said(watch, 0)).toEqual(["added ci", "synced"]);
});

test("a list goes on from the revision it told last, without a change missing or told twice", async () => {
  const server = await testServer();
  const put = (name: string) =>
    done(server.call("PUT", `/organizations/acme/serviceaccounts/${name}`, { body: {} }));
  await put("a");
  const first = await open(server, [accounts]);
  const { revision } = news(await synced(first, 0));
  await put("b");
  const seen = await first.find((one) => one.event === "added" && news(one).resource?.metadata.name === "b");
  first.close();
  await put("c");
  const before = await open(server, [{ ...accounts, since: revision }]);
  await synced(before, 0);
  expect(said(before, 0)).toEqual(["added b", "added c", "synced"]);
  const after = await open(server, [{ ...accounts, since: news(seen).revision }]);
  await synced(after, 0);
  expect(said(after, 0)).toEqual(["added c", "synced"]);
});

test("each part is authorised alone: what is refused is over, the others go on; so is what is taken away meanwhile", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  await done(server.call("PUT", "/organizations/other", { body: {} }));
  const theirs = await world.begin({ steps: [step("a")] }, { scope: "other" });
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme" }]);
  const watch = await open(
    server,
    [
      accounts,
      { ...accounts, scope: "other" },
      { run: theirs },
      { runs: { scope: "other" } },
      { kind: "Nonsense" },
    ],
    eve.token,
  );
  for (const on of [1, 2, 3, 4]) await watch.find((one) => one.event === "over" && news(one).on === on);
  await synced(watch, 0);
  expect([1, 2, 3, 4].map((on) => said(watch, on))).toEqual([
    ["over not_found"],
    ["over not_found"],
    ["over not_found"],
    ["over invalid"],
  ]);
  const [binding] = (await done(server.call("GET", "/organizations/acme/rolebindings"))).body.items;
  await done(server.call("DELETE", `/organizations/acme/rolebindings/${binding.metadata.name}`));
  await watch.find((one) => one.event === "over" && news(one).on === 0);
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/late", { body: {} }));
  expect(said(watch, 0)).not.toContain("added late");
});

test("who gets a role hears that their rights have changed, also when they may see no more than before; others do not", async () => {
  const server = await testServer();
  const [eve, bob] = [
    await newUser(server, "eve", [{ role: "viewer", scope: "acme" }]),
    await newUser(server, "bob", [{ role: "viewer", scope: "acme" }]),
  ];
  const [hers, his] = [await open(server, [accounts], eve.token), await open(server, [accounts], bob.token)];
  for (const watch of [hers, his]) await synced(watch, 0);
  const spec = { role: "editor", subject: { kind: "User", name: "eve" } };
  await done(server.call("PUT", "/organizations/acme/rolebindings/eve-edits", { body: { spec } }));
  await hers.find((one) => one.event === "rights");
  await done(server.call("PUT", "/organizations/acme/serviceaccounts/after", { body: {} }));
  for (const watch of [hers, his]) await watch.find((one) => news(one).resource?.metadata.name === "after");
  expect(his.heard.map(({ event }) => event)).not.toContain("rights");
  expect(hers.heard.map(({ event }) => event)).not.toContain("over");
});

test("who holds a custom role hears that it allows something else now", async () => {
  const server = await testServer();
  const role = (allows: string[]) => server.call("PUT", "/roles/deployer", { body: { spec: { allows } } });
  await done(role(["serviceaccounts:read"]));
  const eve = await newUser(server, "eve", [{ role: "deployer", scope: "acme" }]);
  const hers = await open(server, [accounts], eve.token);
  await synced(hers, 0);
  await done(role(["serviceaccounts:read", "workflows:read"]));
  await hers.find((one) => one.event === "rights");
});

test("a run that has ended is told of when it is taken up again", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  let fails = true;
  await world.agent(() => (fails ? { outcome: "failed", why: "exit 1" } : {}));
  const id = await world.begin({ steps: [step("a")] });
  const watch = await open(server, [{ run: id }]);
  await watch.find((one) => news(one).run?.state === "failed");
  fails = false;
  await done(server.call("POST", `/runs/${id}/retry`, { body: { from: "failed" } }));
  await watch.find((one) => news(one).run?.state === "succeeded");
});

test("what is not a list of parts is refused before the stream begins", async () => {
  const server = await testServer();
  for (const on of ["", "x", "[]", "{}", '[{"kind":1}]', JSON.stringify(Array(51).fill(accounts))])
    expect((await server.call("GET", `/watch?on=${encodeURIComponent(on)}`)).status).toBe(422);
});

test("the audit is told as it is recorded, to whom it may be", async () => {
  const server = await testServer();
  const eve = await newUser(server, "eve", [{ role: "viewer", scope: "acme" }]);
  const own = await open(server, [{ audit: { scope: "acme", kind: "Project" } }]);
  await synced(own, 0);
  expect(said(own, 0)).toEqual(["synced"]);
  await done(server.call("PUT", "/organizations/acme/projects/shop", { body: {} }));
  const told = await own.find((one) => one.event === "record");
  expect(told.data).toMatchObject({ record: { operation: "apply", name: "shop" } });
  const hers = await open(server, [{ audit: { scope: "acme" } }], eve.token);
  await hers.find((one) => one.event === "over");
  expect(said(hers, 0)).toEqual(["over forbidden"]);
});

test("agents tell when they were heard and how much they hold, to whom they may", async () => {
  const server = await testServer();
  const world = openRunWorld(server);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  await world.agent(async () => {
    await held;
    return {};
  });
  await world.begin({ steps: [step("long")] });
  const watch = await open(server, [{ agents: {} }]);
  const holding = (count: number) => (one: Heard) =>
    one.event === "agent" && (one.data as unknown as { agent: { held: number } }).agent.held === count;
  const busy = await watch.find(holding(1));
  expect(busy.data).toMatchObject({ agent: { beatAt: expect.stringMatching(/^20/) } });
  letGo();
  await watch.find(holding(0));
  const eve = await newUser(server, "eve", []);
  const hers = await open(server, [{ agents: {} }, { work: { name: "nowhere" } }], eve.token);
  for (const on of [0, 1]) await hers.find((one) => one.event === "over" && news(one).on === on);
  expect([said(hers, 0), said(hers, 1)]).toEqual([["over forbidden"], ["over forbidden"]]);
});
