import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Code } from "@connectrpc/connect";
import { selfSigned } from "@reeve/control";
import { testSigningRequest } from "@reeve/control/testing";
import { AttemptOutcome, Farewell_Reason, Ruling } from "@reeve/protocol";
import { expect, onTestFinished, test, vi } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  type AgentClient,
  agentClient,
  agentsAddress,
  clientOf,
  connected,
  join,
  joinToken,
  lifeline,
  refusalOf,
  sideEngine,
} from "./testing-agents.ts";
import { hearOutput } from "./testing-canary.ts";

const patience = { timeout: 60_000, interval: 50 };

async function newAgent(server: TestServer, name: string, spec: object = {}) {
  const address = await agentsAddress(server);
  const identity = await join(address, (await joinToken(server, spec)).text, name);
  return { address, identity, uid: identity.answer.hostUid, client: clientOf(address, identity) };
}

const statusOf = async (server: TestServer, name: string) =>
  (await server.call("GET", `/hosts/${name}`)).body.status;

test("an agent connects, beats, is offered a step, accepts and finishes it; its Host shows it", async () => {
  const server = await testServer();
  const { client } = await newAgent(server, "box");
  const line = await connected(client);
  line.say({ case: "beat", value: { number: 7n, freeSlots: 4 } } as never);
  expect(await line.hear("beatHeard")).toMatchObject({ number: 7n, leaseMs: 30_000 });
  await vi.waitFor(async () => {
    expect(await statusOf(server, "box")).toMatchObject({
      agent: "connected",
      version: "test",
      executors: ["noop"],
      slots: 4,
      facts: { os: "linux", arch: "x64" },
      conditions: [{ type: "Connected", status: "true", reason: "Connected" }],
    });
  }, patience);
  const run = await sideEngine(server.database)(1);
  const { offers } = await line.hear("offers");
  expect(offers).toMatchObject([{ attempt: { run, seq: 0, epoch: 1 }, executor: "noop", scope: "acme" }]);
  const attempt = offers[0]?.attempt;
  line.say({ case: "accepts", value: { attempts: [attempt], freeSlots: 3 } } as never);
  expect((await line.hear("verdicts")).verdicts).toMatchObject([{ attempt, ruling: Ruling.OK }]);
  const finish = { attempt, outcome: AttemptOutcome.SUCCEEDED, outputs: '{"rows": 3}' };
  line.say({ case: "finishes", value: { finishes: [finish], freeSlots: 4 } } as never);
  expect((await line.hear("verdicts")).verdicts).toMatchObject([{ attempt, ruling: Ruling.OK }]);
  const [row] = await server.database.query("select state, outputs from step where run = $1", [run]);
  expect(row).toEqual({ state: "succeeded", outputs: { rows: 3 } });
});

test("an agent whose connection is cut is one line of the log, and no failure", async () => {
  const output = hearOutput();
  onTestFinished(output.stop);
  const server = await testServer({ settings: { REEVE_LOG_LEVEL: "info" } });
  const { address, identity } = await newAgent(server, "box");
  const { port } = new URL(`https://${address}`);
  const sockets: Socket[] = [];
  const wire = createServer((socket) => {
    const far = connect(Number(port), "127.0.0.1");
    for (const end of [socket, far]) sockets.push(end.on("error", () => {}));
    socket.pipe(far).pipe(socket);
  });
  onTestFinished(() => void wire.close());
  await once(wire.listen(0, "127.0.0.1"), "listening");
  const line = await connected(clientOf(`127.0.0.1:${(wire.address() as AddressInfo).port}`, identity));
  line.say({ case: "beat", value: { number: 1n, freeSlots: 4 } } as never);
  await line.hear("beatHeard");
  for (const socket of sockets) socket.resetAndDestroy();
  await vi.waitFor(() => expect(output.text()).toContain("an agent's link was cut"), patience);
  expect(output.text()).not.toMatch(/ERROR|failed/);
});

test("a silent agent is suspect, then lost, and its Host says since when; it comes back", async () => {
  const server = await testServer();
  const { uid, client } = await newAgent(server, "box");
  const line = await connected(client);
  await vi.waitFor(async () => expect((await statusOf(server, "box")).agent).toBe("connected"), patience);
  const before = (await server.call("GET", "/hosts/box")).body.metadata.revision;
  // Beats write no Host.
  for (let number = 0n; number < 5n; number++)
    line.say({ case: "beat", value: { number, freeSlots: 4 } } as never);
  await line.hear("beatHeard");
  await sleep(1200);
  expect((await server.call("GET", "/hosts/box")).body.metadata.revision).toBe(before);
  const age = (seconds: number) =>
    server.database.query(
      `update agent set beat_at = now() - $2 * interval '1 second', lease_until = now() + (30 - $2) * interval '1 second' where uid = $1`,
      [uid, seconds],
    );
  // Aged again and again: a server that could not listen itself gives agents more time.
  await vi.waitFor(async () => {
    await age(16);
    expect(await statusOf(server, "box")).toMatchObject({
      agent: "suspect",
      conditions: [{ type: "Connected", status: "unknown", reason: "Silent" }],
    });
  }, patience);
  await vi.waitFor(async () => {
    await age(31);
    const { agent, conditions, seenAt } = await statusOf(server, "box");
    expect(agent).toBe("lost");
    expect(conditions[0]).toMatchObject({ status: "unknown", reason: "Lost" });
    expect(conditions[0].message).toContain(seenAt);
  }, patience);
  // It had only slept: it is asked to say hello again, not to go.
  line.say({ case: "beat", value: { number: 99n, freeSlots: 4 } } as never);
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.RECONNECT });
  const back = await connected(client, { session: line.session });
  await vi.waitFor(async () => expect((await statusOf(server, "box")).agent).toBe("connected"), patience);
  // Elsewhere another process has taken over.
  await server.database.query("update agent set session = gen_random_uuid() where uid = $1", [uid]);
  back.say({ case: "beat", value: { number: 1n, freeSlots: 4 } } as never);
  expect(await back.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REPLACED });
  const events = (await server.call("GET", "/hosts/box/events")).body.items.map(
    (event: { reason: string }) => event.reason,
  );
  expect(events).toEqual(expect.arrayContaining(["Joined", "Connected", "Silent", "Lost", "Back"]));
});

test("what an agent reports as trouble is shown on its Host and by the steps that wait for it, until it is over", async () => {
  const server = await testServer();
  const { client } = await newAgent(server, "box");
  const line = await connected(client);
  const beat = (number: bigint, troubles: string[]) =>
    line.say({ case: "beat", value: { number, freeSlots: 0, status: { troubles } } } as never);
  beat(1n, ["the spool's disk is full"]);
  const words = "the spool's disk is full";
  await vi.waitFor(async () => {
    expect(await statusOf(server, "box")).toMatchObject({ agent: "connected", troubles: [words] });
  }, patience);
  expect((await statusOf(server, "box")).conditions).toContainEqual(
    expect.objectContaining({ type: "Healthy", status: "false", reason: "Troubled", message: words }),
  );
  const run = await sideEngine(server.database)(1);
  await vi.waitFor(async () => {
    const [step] = (await server.call("GET", `/runs/${run}/steps`)).body.items;
    expect(step).toMatchObject({ state: "ready", why: `in trouble: box (${words}); 0 steps go first` });
  }, patience);
  beat(2n, []);
  await vi.waitFor(async () => {
    expect(await statusOf(server, "box")).not.toHaveProperty("troubles");
  }, patience);
  const events = (await server.call("GET", "/hosts/box/events")).body.items as { reason: string }[];
  expect(events.map(({ reason }) => reason)).toEqual(expect.arrayContaining(["Troubled", "Recovered"]));
});

test("a drained host is offered nothing, says what still runs, and takes up work again", async () => {
  const server = await testServer();
  const { client } = await newAgent(server, "box");
  const line = await connected(client, { slots: 1 });
  const make = sideEngine(server.database);
  await make(1);
  const { offers } = await line.hear("offers");
  const attempt = offers[0]?.attempt;
  line.say({ case: "accepts", value: { attempts: [attempt], freeSlots: 0 } } as never);
  await line.hear("verdicts");
  await server.call("PATCH", "/hosts/box", { body: { spec: { drained: true } } });
  await vi.waitFor(async () => expect((await statusOf(server, "box")).running).toBe(1), patience);
  await make(1);
  line.say({
    case: "finishes",
    value: { finishes: [{ attempt, outcome: AttemptOutcome.SUCCEEDED }], freeSlots: 1 },
  } as never);
  line.say({ case: "beat", value: { number: 1n, freeSlots: 1 } } as never);
  await line.hear("beatHeard");
  await vi.waitFor(async () => expect((await statusOf(server, "box")).running).toBe(0), patience);
  await sleep(1500);
  expect(line.heard.filter(({ message }) => message.case === "offers")).toEqual([]);
  await server.call("PATCH", "/hosts/box", { body: { spec: { drained: false } } });
  line.say({ case: "beat", value: { number: 2n, freeSlots: 1 } } as never);
  expect((await line.hear("offers")).offers).toHaveLength(1);
});

test("strangers hear nothing: no certificate, a foreign one, an expired one, one of a revoked or deleted host", async () => {
  const server = await testServer();
  const { address, identity, uid, client } = await newAgent(server, "box");
  const code = async (one = client) => (await refusalOf(one.renew({}))).code;
  expect(await code(agentClient(address))).toBe(Code.Unauthenticated);
  const foreign = selfSigned(uid, [], 1);
  expect(await code(agentClient(address, foreign))).toBe(Code.Unauthenticated);
  expect(await code(agentClient(address, {}, "reeve_a_guess"))).toBe(Code.Unauthenticated);
  for (const one of [agentClient(address), agentClient(address, foreign)]) {
    const ended = await lifeline(one).ended;
    expect(ended).toMatchObject({ code: Code.Unauthenticated });
    expect((await refusalOf(collect(one.fetch({ name: "x" })))).code).toBe(Code.Unauthenticated);
  }
  const age = (days: number) =>
    server.database.query("update agent set identity_expires_at = now() - $1 * interval '1 day'", [days]);
  await age(3);
  expect(await lifeline(client).ended).toMatchObject({ code: Code.FailedPrecondition });
  await age(31);
  expect(await code()).toBe(Code.FailedPrecondition);
  await age(3);
  const renewing = testSigningRequest();
  const answer = await client.renew({ signingRequest: renewing.request });
  const renewed = { key: renewing.key, answer: { ...identity.answer, ...answer } as never };
  const line = await connected(clientOf(address, renewed));
  await server.call("POST", "/hosts/box/actions/revoke", { body: {} });
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect(await line.ended).toBe("ended");
  expect(await code(clientOf(address, renewed))).toBe(Code.Unauthenticated);
  await vi.waitFor(async () => {
    expect(await statusOf(server, "box")).toMatchObject({
      agent: "revoked",
      conditions: [{ status: "false", reason: "Revoked", message: "revoked by a person" }],
    });
  }, patience);

  const other = await newAgent(server, "other");
  const its = await connected(other.client);
  await server.call("DELETE", "/hosts/other");
  expect(await its.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect(await code(other.client)).toBe(Code.Unauthenticated);
});

test("an old identity that comes back after the new one was in use for a while is a clone's: both are revoked", async () => {
  const server = await testServer();
  const { address, identity, uid, client } = await newAgent(server, "box");
  const next = testSigningRequest();
  const lost = testSigningRequest();
  // An answer that was missed is asked for again.
  await client.renew({ signingRequest: lost.request });
  const answer = await client.renew({ signingRequest: next.request });
  expect(answer.identityGeneration).toBe(3);
  const renewed = { key: next.key, answer: { ...identity.answer, ...answer } as never };
  const line = await connected(clientOf(address, renewed));
  // A call that was under way at that moment is refused, and no more.
  expect((await refusalOf(client.renew({ signingRequest: next.request }))).code).toBe(Code.Unauthenticated);
  expect((await server.call("GET", "/hosts/box")).body.status.agent).not.toBe("revoked");
  await server.database.query(
    "update agent set identity_used_at = now() - interval '2 minutes' where uid = $1",
    [uid],
  );
  expect((await refusalOf(client.renew({ signingRequest: next.request }))).code).toBe(Code.Unauthenticated);
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect((await refusalOf(clientOf(address, renewed).renew({}))).code).toBe(Code.Unauthenticated);
  const events = (await server.call("GET", "/hosts/box/events")).body.items;
  expect(events.map((event: { reason: string }) => event.reason)).toContain("Cloned");
  const audit = await server.call("GET", "/audit?kind=Host&operation=revoke");
  expect(audit.body.items[0]).toMatchObject({ name: "box", subject: "system:reeve" });
});

/** An agent with the identity that it got last, in a database as a restore leaves it: of before, and it has seen no more. */
async function aheadOfBackup(server: TestServer, name: string) {
  const agent = await newAgent(server, name);
  const sql = (text: string, ...values: unknown[]) => server.database.query(text, values);
  const [row] = await server.database.query<{ identity: Buffer; until: string }>(
    "select identity, identity_expires_at as until from agent where uid = $1",
    [agent.uid],
  );
  const next = testSigningRequest();
  const renewed = await agent.client.renew({ signingRequest: next.request });
  await sql(
    `update agent set identity = $2, identity_expires_at = $3, identity_before = null, identity_used_at = now() - interval '1 hour',
       identity_generation = 1, restored_generation = 1 where uid = $1`,
    agent.uid,
    row?.identity,
    row?.until,
  );
  const between = (from: string, to: string) =>
    sql(
      `update installation set backed_up_at = now() + $1::interval, restored_at = now() + $2::interval`,
      from,
      to,
    );
  await between("-1 hour", "0");
  const identity = { key: next.key, answer: { ...agent.identity.answer, ...renewed } as never };
  const { client: before, address, uid } = agent;
  return { uid, address, sql, between, before, identity, client: clientOf(address, identity) };
}

/** Renews as an agent does; the client with what it got. */
async function renewAs(
  agent: Pick<Awaited<ReturnType<typeof aheadOfBackup>>, "address" | "identity">,
  client: AgentClient,
) {
  const { key, request } = testSigningRequest();
  const answer = await client.renew({ signingRequest: request });
  return clientOf(agent.address, { key, answer: { ...agent.identity, ...answer } as never });
}

const eventsOf = async (server: TestServer, name: string): Promise<string[]> =>
  (await server.call("GET", `/hosts/${name}/events`)).body.items.map((one: { reason: string }) => one.reason);

test("an agent that renewed after the backup renews once by its certificate alone, and what it then replaced is a clone's", async () => {
  const server = await testServer();
  const agent = await aheadOfBackup(server, "box");
  expect(await lifeline(agent.client).ended, "it is served by what is known only").toMatchObject({
    code: Code.Unauthenticated,
  });
  const missed = await renewAs(agent, agent.client);
  const now = await renewAs(agent, agent.client);
  const line = await connected(now);
  expect((await refusalOf(missed.renew({}))).code).toBe(Code.Unauthenticated);
  const audit = (await server.call("GET", "/audit?kind=Host&operation=renew")).body.items;
  const reason = "its identity was issued after the backup that this database was restored from";
  expect(audit).toMatchObject([{ name: "box", subject: "system:reeve", reason }]);
  expect(await eventsOf(server, "box")).toContain("Renewed");
  await agent.sql("update agent set identity_used_at = now() - interval '2 minutes'");
  expect((await refusalOf(renewAs(agent, agent.client))).code).toBe(Code.Unauthenticated);
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect(await eventsOf(server, "box")).toContain("Cloned");
});

test("a certificate that no row knows renews nothing: never restored, issued before the backup or after the restore, revoked, joined anew", async () => {
  const server = await testServer();
  const agent = await aheadOfBackup(server, "box");
  const refused = async (client = agent.client) =>
    expect(await refusalOf(renewAs(agent, client))).toMatchObject({ code: Code.Unauthenticated });
  await agent.between("-1 hour", "1 minute");
  await refused(agentClient(agent.address, selfSigned(agent.uid, [], 1)));
  await agent.between("2 minutes", "3 minutes");
  await refused();
  await agent.between("-2 hours", "-1 hour");
  await refused();
  await agent.sql("update installation set backed_up_at = null, restored_at = null");
  await refused();
  await agent.between("-1 hour", "0");
  await agent.sql("update agent set restored_generation = null");
  await refused();
  await agent.sql("update agent set restored_generation = 1, revoked_at = now()");
  await refused();
  expect(await eventsOf(server, "box")).not.toContain("Renewed");
  await agent.sql("update agent set revoked_at = null");
  const token = (await joinToken(server, { replace: true })).text;
  const joined = clientOf(agent.address, await join(agent.address, token, "box"));
  await refused();
  await connected(joined);
  await server.call("DELETE", "/hosts/box");
  await refused();
});

test("an identity of the backup and one of after it cannot both renew: somebody has a copy, and neither works any more", async () => {
  const server = await testServer();
  const agent = await aheadOfBackup(server, "box");
  const line = await connected(await renewAs(agent, agent.before));
  expect((await refusalOf(renewAs(agent, agent.client))).code).toBe(Code.Unauthenticated);
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect(await eventsOf(server, "box")).toContain("Cloned");
});

test("an agent cannot speak of another's attempts, and a second process takes the first one's place", async () => {
  const server = await testServer();
  const one = await newAgent(server, "one");
  const line = await connected(one.client);
  const run = await sideEngine(server.database)(1);
  const { offers } = await line.hear("offers");
  const attempt = offers[0]?.attempt;
  const thief = await connected((await newAgent(server, "thief")).client);
  thief.say({ case: "accepts", value: { attempts: [attempt], freeSlots: 1 } } as never);
  expect((await thief.hear("verdicts")).verdicts).toMatchObject([{ ruling: Ruling.FENCED, with: "" }]);
  const finish = { attempt, outcome: AttemptOutcome.SUCCEEDED };
  thief.say({ case: "finishes", value: { finishes: [finish], freeSlots: 1 } } as never);
  expect((await thief.hear("verdicts")).verdicts).toMatchObject([{ ruling: Ruling.FENCED }]);
  const [row] = await server.database.query("select state from step where run = $1", [run]);
  expect(row).toEqual({ state: "offered" });
  const inventory = [attempt as { run: string; seq: number; epoch: number }];
  const liar = lifeline((await newAgent(server, "liar")).client);
  liar.say({
    case: "hello",
    value: { session: liar.session, slots: 1, facts: { executors: [] }, inventory },
  } as never);
  expect((await liar.hear("welcome")).fenced).toMatchObject([attempt]);

  const second = await connected(one.client);
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REPLACED });
  // The same process again, after a broken connection: no farewell that would end it.
  await connected(one.client, { session: second.session });
  expect(await second.hear("farewell")).toMatchObject({ reason: Farewell_Reason.RECONNECT });
});

test("bad input ends the stream with its reason, and outputs that cannot be kept fail the step", async () => {
  const server = await testServer();
  const { address, client, identity } = await newAgent(server, "box");
  const said = async (...messages: unknown[]) => {
    const line = lifeline(clientOf(address, identity));
    for (const message of messages) line.say(message as never);
    return line.ended;
  };
  const hello = (more: object = {}) => ({
    case: "hello",
    value: {
      session: "01a1dfb6-8c38-72cd-a31f-40bc5afce47c",
      slots: 1,
      facts: { executors: ["noop"] },
      ...more,
    },
  });
  const invalid = { code: Code.InvalidArgument };
  expect(await said({ case: "beat", value: { number: 1n } })).toMatchObject(invalid);
  expect(await said(hello({ session: "x'; drop table agent" }))).toMatchObject(invalid);
  expect(await said(hello({ inventory: [{ run: "not-a-uuid", seq: 1, epoch: 1 }] }))).toMatchObject(invalid);
  expect(await said(hello(), hello())).toMatchObject(invalid);
  const many = Array.from({ length: 10_001 }, () => ({ run: identity.answer.hostUid, seq: 1, epoch: 1 }));
  expect(await said(hello({ inventory: many }))).toMatchObject({ code: Code.ResourceExhausted });
  const huge = { case: "beat", value: { status: { troubles: ["x".repeat(5 * 1024 * 1024)] } } };
  expect(await said(hello(), huge)).toMatchObject({ code: Code.ResourceExhausted });

  const line = await connected(client);
  const make = sideEngine(server.database);
  for (const outputs of ["[1]", "{", '{"a":"\\u0000"}', JSON.stringify({ a: "x".repeat(300_000) })]) {
    const run = await make(1);
    const { offers } = await line.hear("offers");
    const attempt = offers[0]?.attempt;
    line.say({ case: "accepts", value: { attempts: [attempt], freeSlots: 3 } } as never);
    await line.hear("verdicts");
    const finish = { attempt, outcome: AttemptOutcome.SUCCEEDED, outputs };
    line.say({ case: "finishes", value: { finishes: [finish], freeSlots: 4 } } as never);
    expect((await line.hear("verdicts")).verdicts).toMatchObject([{ ruling: Ruling.OK }]);
    const [row] = await server.database.query("select state, why from step where run = $1", [run]);
    expect(row).toMatchObject({ state: "failed", why: expect.stringContaining("its outputs") });
  }
});

test("a flood from one address is refused before it costs anything, and connected agents do not notice", async () => {
  const server = await testServer({ settings: { REEVE_ANONYMOUS_PER_MINUTE: "30" } });
  const { address, client } = await newAgent(server, "box");
  const line = await connected(client);
  const flood = agentClient(address);
  const codes = await Promise.all(
    Array.from(
      { length: 60 },
      async () => (await refusalOf(flood.enrol({ token: "rjt_x", name: "x" }))).code,
    ),
  );
  expect(codes).toContain(Code.ResourceExhausted);
  line.say({ case: "beat", value: { number: 9n, freeSlots: 4 } } as never);
  expect((await line.hear("beatHeard")).number).toBe(9n);
});

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

test("the server's own host warns when it does the steps of more than one organization, and no other host does", async () => {
  const server = await testServer();
  await newAgent(server, "home", { labels: { "reeve/home": "true" } });
  await newAgent(server, "box");
  const sharing = async (name: string, description: string) => {
    await server.call("PATCH", `/hosts/${name}`, { body: { spec: { description } } });
    const seen = async () => (await statusOf(server, name)).observedGeneration;
    const { body } = await server.call("GET", `/hosts/${name}`);
    await expect.poll(seen).toBe(body.metadata.generation);
    const { conditions } = await statusOf(server, name);
    return conditions.find((one: { type: string }) => one.type === "Shared");
  };
  const organizations = async () => (await server.call("GET", "/organizations")).body.items.length;
  expect(await organizations()).toBe(1);
  expect(await sharing("home", "alone")).toBeUndefined();
  expect((await server.call("PUT", "/organizations/other", { body: {} })).status).toBe(201);
  expect(await sharing("home", "shared")).toMatchObject({ status: "true", reason: "ManyOrganizations" });
  expect((await server.call("GET", "/hosts/home/events")).body.items).toContainEqual(
    expect.objectContaining({ tone: "warning", reason: "ManyOrganizations" }),
  );
  expect(await sharing("box", "not the server's")).toBeUndefined();
});
