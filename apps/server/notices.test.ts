import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import { lifeline, patientWithLinks } from "./testing-agents.ts";
import { done } from "./testing-people.ts";
import { type Received, webhookReceiver } from "./testing-receivers.ts";
import { keeping, type Linked, linked } from "./testing-services.ts";
import { seen } from "./testing-until.ts";

/** Two cores may have much else to do. */
const soon = <T>(look: () => T | Promise<T>, wanted: unknown) => seen(look, wanted, 60_000);

/** What is not as it should be with services, repositories and hosts, told once and when it is over; agents here are only links. */

const acme = "/organizations/acme";
const settings = { REEVE_NOTIFY_NETWORKS: "127.0.0.0/8", ...patientWithLinks };
const spec = {
  files: { "compose.yaml": "services:\n  web:\n    image: web:1\n" },
  hosts: { names: ["one"] },
};

/** Two replicas: whatever is told, is told by one of them. */
async function twoReplicas(): Promise<TestServer> {
  const server = await testServer({ settings });
  await testServer({ share: server, settings });
  return server;
}

async function listen(server: TestServer, tells: object[], at = `${acme}/channels/ops`) {
  const hook = await webhookReceiver();
  const body = { spec: { type: "slack", url: hook.url, tells } };
  await done(server.call("PUT", at, { body }));
  return hook;
}

async function serviceOn(server: TestServer, name: string, labels: object): Promise<string> {
  const body = { metadata: { labels }, spec: { ...spec, project: name } };
  const { metadata } = (await done(server.call("PUT", `${acme}/services/${name}`, { body }))).body;
  await done(server.call("POST", `${acme}/services/${name}/actions/deploy`, { body: {} }));
  return metadata.uid;
}

function tellAs({ line }: Linked, uid: string, state: string, more: object = {}) {
  const told = JSON.stringify({ generation: 1, state, containers: [], ...more });
  line.say({ case: "observations", value: { observations: [{ uid, seen: told }] } } as never);
}

const textOf = ({ body }: Received): string => JSON.parse(body).text;
const notices = async ({ database }: TestServer, uid: string) =>
  (await database.query<{ event: string }>("select event from notice where resource_uid = $1", [uid])).map(
    ({ event }) => event,
  );

/** As if it had been so for a while, and somebody looked. */
async function lapse({ database }: TestServer, uid: string): Promise<void> {
  await database.query("update notice set since = since - interval '2 hours' where resource_uid = $1", [uid]);
  await database.query("update look set due_at = now() where uid = $1", [uid]);
}

const stateOf = async (server: TestServer, name: string) =>
  (await server.call("GET", `${acme}/services/${name}`)).body.status.instances?.[0]?.state;

test("a service that is not as wanted for a while is told once to whom it concerns, and so is that it is over", async () => {
  const server = await twoReplicas();
  const one = await linked(server, "one", keeping);
  const hook = await listen(server, [{ on: ["service-degraded"], labels: "tier=prod" }]);
  const above = await listen(server, [{ on: ["service-degraded"], scopes: ["acme"] }], "/channels/all");
  const deaf = await listen(server, [{ on: ["deploy-failed"] }], `${acme}/channels/deaf`);
  const web = await serviceOn(server, "web", { tier: "prod" });
  const lab = await serviceOn(server, "lab", {});
  for (const uid of [web, lab]) tellAs(one, uid, "degraded", { why: "web-1 is unhealthy" });
  for (const uid of [web, lab]) await soon(() => notices(server, uid), ["service-degraded"]);
  // What is over before its time is told to nobody.
  tellAs(one, lab, "running");
  await soon(() => notices(server, lab), []);
  tellAs(one, lab, "degraded", { why: "web-1 is unhealthy" });
  await soon(() => notices(server, lab), ["service-degraded"]);
  expect([hook.received, above.received]).toEqual([[], []]);

  for (const uid of [web, lab]) await lapse(server, uid);
  await soon(() => [hook.received.length, above.received.length], [1, 2]);
  // The link is that of the replica that told it.
  expect(textOf(hook.received[0] as Received)).toMatch(
    /^acme: service web is not as wanted\none: web-1 is unhealthy\nhttp:.*\/organizations\/acme\/services\/web$/,
  );
  // It is still so, for another reason: nobody hears of it again.
  tellAs(one, web, "degraded", { why: "web-1 is gone" });
  await soon(
    async () => (await server.call("GET", `${acme}/services/web`)).body.status.instances[0].why,
    "web-1 is gone",
  );
  tellAs(one, web, "running");
  await soon(() => hook.received.length, 2);
  expect(textOf(hook.received[1] as Received)).toMatch(
    /^acme: service web is as wanted again\nIt took 2h\.\n/,
  );
  await soon(() => above.received.length, 3);
  expect(deaf.received).toEqual([]);
});

test("each deploy that fails for another reason is told, and once that one went well", async () => {
  const server = await twoReplicas();
  await linked(server, "one", keeping);
  const hook = await listen(server, [{ on: ["deploy-failed"] }]);
  const uid = await serviceOn(server, "web", {});
  const path = `${acme}/services/web`;
  /** As if its agent had told so of every step. The first deploy holds the turn: nobody else touches those that wait. */
  const ends = async (state: string, why: string) => {
    const { run } = (await done(server.call("POST", `${path}/actions/deploy`, { body: {} }))).body;
    const { database } = server;
    const ended = "state = $2, why = $3, ended_at = now()";
    await database.query(`update step set ${ended} where run = $1`, [run, state, why]);
    await database.query(`update run set ${ended} where id = $1`, [run, state, why]);
    await database.query("update look set due_at = now() where uid = $1", [uid]);
    await soon(async () => {
      const { status } = (await server.call("GET", path)).body;
      const deployed = status.conditions?.find(({ type }: { type: string }) => type === "Deployed");
      return [status.run, deployed?.message.endsWith(why) && deployed.reason];
    }, [run, { failed: "DeployFailed", cancelled: "DeployCancelled" }[state] ?? "Deployed"]);
  };
  const change = (image: string) =>
    done(
      server.call("PATCH", path, {
        body: { spec: { files: { "compose.yaml": `services:\n  web:\n    image: ${image}\n` } } },
      }),
    );
  const texts = () => hook.received.map((one) => textOf(one).split("\n").slice(0, 2).join(": "));
  const first = "acme: service web could not be deployed: generation 1: prepare-one: no such image";
  await ends("failed", "no such image");
  await soon(texts, [first]);
  // The same again is nothing new.
  await ends("failed", "no such image");
  await change("web:2");
  await ends("failed", "no such image");
  const second = first.replace("generation 1", "generation 2");
  await soon(texts, [first, second]);
  // One that was cancelled does not say that all is well.
  await change("web:3");
  await ends("cancelled", "");
  await ends("failed", "no such image");
  const third = first.replace("generation 1", "generation 3");
  await soon(texts, [first, second, third]);
  await ends("succeeded", "");
  await soon(texts, [
    ...[first, second, third],
    expect.stringMatching(/^acme: service web is deployed again: It took /) as unknown as string,
  ]);
});

test("a container that somebody stopped is told after an hour, and nothing at all while the service is paused", async () => {
  const server = await twoReplicas();
  const one = await linked(server, "one", keeping);
  const hook = await listen(server, [{ on: ["service-degraded", "container-stopped"] }]);
  const web = await serviceOn(server, "web", {});
  const stopped = { by: "user:ada", at: new Date().toISOString() };
  const container = {
    name: "web-1",
    service: "web",
    image: "web:1",
    state: "exited",
    health: "none",
    restarts: 0,
  };
  tellAs(one, web, "degraded", { containers: [{ ...container, ports: [], stopped }] });
  await soon(() => notices(server, web), ["container-stopped"]);
  await lapse(server, web);
  await soon(() => hook.received.length, 1);
  expect(textOf(hook.received[0] as Received)).toContain("one: web-1, by user:ada");

  const pause = (paused: boolean) =>
    done(server.call("PATCH", `${acme}/services/web`, { body: { metadata: { paused } } }));
  await pause(true);
  tellAs(one, web, "running");
  await soon(async () => {
    await server.database.query("update look set due_at = now() where uid = $1 and outcome <> 'paused'", [
      web,
    ]);
    return (await server.call("GET", `${acme}/services/web/why`)).body.look.outcome;
  }, "paused");
  expect(hook.received.length).toBe(1);
  await pause(false);
  await soon(() => hook.received.length, 2);
  expect(await stateOf(server, "web")).toBe("running");
});

test("a host that is lost is told at once, and that it is back; one that is drained is nobody's worry", async () => {
  const server = await twoReplicas();
  const hook = await listen(server, [{ on: ["host-lost"] }], "/channels/all");
  const one = await linked(server, "one", keeping);
  const two = await linked(server, "two", keeping);
  await done(server.call("PATCH", "/hosts/two", { body: { spec: { drained: true } } }));
  const agent = async (name: string) => (await server.call("GET", `/hosts/${name}`)).body.status.agent;
  // A server that could not listen itself gives agents more time: so again and again.
  await soon(async () => {
    await server.database.query(
      "update agent set beat_at = now() - interval '601 seconds', lease_until = now() - interval '1 second' where uid = any($1::uuid[])",
      [[one.uid, two.uid]],
    );
    return [await agent("one"), await agent("two")];
  }, ["lost", "lost"]);
  await soon(() => hook.received.length, 1);
  expect(textOf(hook.received[0] as Received)).toMatch(/^host one is lost\nsilent since /);
  one.line.say({ case: "beat", value: { number: 9n, freeSlots: 4 } } as never);
  await one.line.hear("farewell");
  const facts = { os: "linux", arch: "x64", agentVersion: "test", executors: keeping };
  const back = lifeline(one.client, one.line.session);
  back.say({ case: "hello", value: { session: one.line.session, facts, slots: 4, inventory: [] } } as never);
  await soon(() => hook.received.length, 2);
  expect(textOf(hook.received[1] as Received)).toMatch(/^host one is back\nIt took /);
  expect(await notices(server, two.uid)).toEqual([]);
});

test("a repository that cannot be fetched is told after a while, with a signed payload for programs, also where specs are sealed", async () => {
  const server = await testServer({ settings });
  await done(server.call("PATCH", acme, { body: { spec: { encryptAtRest: true } } }));
  const hook = await webhookReceiver();
  await done(
    server.call("PUT", `${acme}/secrets/hook`, { body: { spec: { keys: { key: { generate: true } } } } }),
  );
  await soon(async () => (await server.call("GET", `${acme}/secrets/hook`)).body.status.keys, ["key"]);
  const secret = { secretRef: { name: "hook", key: "key" } };
  const channel = { type: "webhook", url: hook.url, secret, tells: [{ on: ["repository-failed"] }] };
  await done(server.call("PUT", `${acme}/channels/ops`, { body: { spec: channel } }));
  const body = { spec: { git: { url: "http://127.0.0.1:9/apps.git", ref: "main" } } };
  const { metadata } = (await done(server.call("PUT", `${acme}/repositories/apps`, { body }))).body;
  await soon(() => notices(server, metadata.uid), ["repository-failed"]);
  await lapse(server, metadata.uid);
  await soon(() => hook.received.length, 1);
  expect(JSON.parse(hook.received[0]?.body ?? "")).toMatchObject({
    type: "reeve.repository-failed",
    title: "acme: repository apps cannot be fetched",
    about: {
      kind: "Repository",
      scope: "acme",
      name: "apps",
      event: "repository-failed",
      notice: expect.any(String),
    },
    link: `${server.url}${acme}/repositories/apps`,
  });
});

test("a channel tells of what lies within its scope, and of events that there are", async () => {
  const server = await testServer();
  const put = (tells: object[]) =>
    server.call("PUT", `${acme}/channels/ops`, {
      body: { spec: { type: "slack", url: "https://chat.example/", tells } },
    });
  const outside = await put([{ on: ["host-lost"], scopes: ["acme", "other"] }]);
  expect([outside.status, outside.body.errors]).toEqual([
    422,
    [{ pointer: "/spec/tells/0/scopes/1", message: "is not within acme" }],
  ]);
  expect((await put([{ on: ["nonsense"] }])).body.errors[0].pointer).toBe("/spec/tells/0/on/0");
  expect((await put([{ on: ["host-lost"], labels: "a in (" }])).body.errors[0].pointer).toBe(
    "/spec/tells/0/labels",
  );
  expect((await put([{ on: ["host-lost", "deploy-failed"], labels: "tier=prod" }])).status).toBe(201);
});
