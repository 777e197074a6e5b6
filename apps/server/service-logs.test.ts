import { Code } from "@connectrpc/connect";
import { type ContainerLine, newUid } from "@reeve/model";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  type AgentClient,
  agentsAddress,
  clientOf,
  connected,
  join,
  joinToken,
  type Lifeline,
  patientWithLinks,
  refusalOf,
} from "./testing-agents.ts";
import { done, newUser } from "./testing-people.ts";
import { answerDial } from "./testing-tunnels.ts";

/** How logs come from agents to people, by whichever replica; agents here are only links. */

interface Linked {
  readonly client: AgentClient;
  readonly line: Lifeline;
}

async function linked(server: TestServer, address: string, name: string, service: string): Promise<Linked> {
  const identity = await join(address, (await joinToken(server)).text, name);
  const client = clientOf(address, identity);
  await server.database.query("insert into kept (resource_uid, agent_uid) values ($1, $2)", [
    service,
    identity.answer.hostUid,
  ]);
  return { client, line: await connected(client) };
}

async function makeService(server: TestServer, name: string): Promise<string> {
  const spec = { files: { "compose.yaml": "services: { web: { image: web } }" }, hosts: { names: ["one"] } };
  const { body } = await done(server.call("PUT", `/organizations/acme/services/${name}`, { body: { spec } }));
  return body.metadata.uid;
}

const logs = (query = "") => `/organizations/acme/services/web/logs${query}`;
const at = (second: number) => `2026-01-31T12:00:0${second}.000000000Z`;
const lines = (...some: ContainerLine[]) =>
  Buffer.from(some.map((one) => `${JSON.stringify(one)}\n`).join(""));
const line = (second: number, text: string): ContainerLine => ({
  container: "web-1",
  stream: "stdout",
  at: at(second),
  text,
});

test("lines of two hosts come in the order of their times, also by another replica, and a host that cannot be read is named", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const address = await agentsAddress(server);
  const service = await makeService(server, "web");
  const one = await linked(server, address, "one", service);
  const two = await linked(server, address, "two", service);
  const other = await testServer({ share: server, settings: patientWithLinks });
  const reading = fetch(`${other.url}/api/v1${logs("?tail=5")}`, {
    headers: { authorization: `Bearer ${server.owner}` },
  }).then((answer) => answer.text());

  const dial = await one.line.hear("dial");
  expect(dial.opens).toBe("service-logs");
  expect(JSON.parse(dial.with)).toEqual({ service, tail: 5 });
  // A dial is for one agent, and once.
  expect((await refusalOf(answerDial(two.client, dial).closed)).code).toBe(Code.NotFound);
  const first = answerDial(one.client, dial);
  await first.say({ case: "data", value: lines(line(1, "a"), line(3, "c")) });
  const second = answerDial(two.client, await two.line.hear("dial"));
  expect((await refusalOf(answerDial(one.client, dial).closed)).code).toBe(Code.NotFound);
  await second.say({ case: "data", value: lines(line(2, "b")) });
  await second.say({ case: "end", value: { why: "its disk is broken" } });
  await first.say({ case: "end", value: { why: "" } });
  expect(await reading).toBe("one web-1 | a\ntwo web-1 | b\none web-1 | c\ntwo: its disk is broken\n");
  await first.closed;
});

test("who follows is told of a lost agent and hears it again; who leaves, or may not go on, ends it at the agent", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const service = await makeService(server, "web");
  const one = await linked(server, await agentsAddress(server), "one", service);
  const viewer = await newUser(server, "vera", [{ role: "viewer", scope: "acme" }]);
  const response = await fetch(`${server.url}/api/v1${logs("?follow=true")}`, {
    headers: { authorization: `Bearer ${viewer.token}` },
  });
  let text = "";
  const read = (async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  })();
  const first = answerDial(one.client, await one.line.hear("dial"));
  await first.say({ case: "data", value: lines(line(1, "a")) });
  await expect.poll(() => text, { timeout: 60_000 }).toContain(`id: ${at(1)}\ndata: {"host":"one"`);
  first.cut();
  await expect.poll(() => text, { timeout: 60_000 }).toContain(`{"host":"one","why":"its agent was lost"}`);
  const again = await one.line.hear("dial");
  expect(JSON.parse(again.with)).toMatchObject({ service, after: at(1), follow: true });
  const second = answerDial(one.client, again);
  await second.say({ case: "data", value: lines(line(2, "b")) });
  await expect.poll(() => text, { timeout: 60_000 }).toContain('"text":"b"');

  const { body } = await server.call("GET", "/organizations/acme/rolebindings");
  await done(server.call("DELETE", `/organizations/acme/rolebindings/${body.items[0].metadata.name}`));
  await second.closed;
  await read;
  expect(text).toMatch(/event: end\ndata: .*not_found/);
});

test("logs are for whoever has services:logs in the service's scope, and only of hosts that keep it", async () => {
  const server = await testServer({ settings: patientWithLinks });
  await makeService(server, "web");
  const reader = { allows: ["services:read"] };
  await done(server.call("PUT", "/roles/reader", { body: { spec: reader } }));
  const rita = await newUser(server, "rita", [{ role: "reader", scope: "acme" }]);
  const nobody = await newUser(server, "nobody");
  expect((await rita.call("GET", logs())).body.detail).toContain("services:logs");
  expect((await nobody.call("GET", logs())).status).toBe(404);
  expect((await nobody.call("GET", logs("?tail=x"))).status).toBe(422);
  expect((await server.call("GET", logs(), { token: null })).status).toBe(401);
  expect((await server.call("GET", logs().replace("web", "nothing"))).status).toBe(404);
  expect(await server.call("GET", logs())).toMatchObject({ status: 412, body: { detail: /on no host/ } });
  const [host] = await server.database.query<{ uid: string }>("select gen_random_uuid() as uid");
  await server.database.query(
    "insert into kept (resource_uid, agent_uid) select uid, $1 from resource where kind = 'Service'",
    [host?.uid ?? newUid()],
  );
  expect((await server.call("GET", logs("?host=other"))).status).toBe(422);
  const denied = await server.call("GET", "/audit?outcome=denied&kind=Service");
  expect(denied.body.items.map((one: { operation: string }) => one.operation)).toContain("logs");
});
