import { createHash, X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { Code } from "@connectrpc/connect";
import { testSigningRequest } from "@reeve/control/testing";
import { readJoinToken } from "@reeve/model";
import { expect, test } from "vitest";
import { testServer } from "./testing.ts";
import { agentClient, agentsAddress, clientOf, join, joinToken, refusalOf } from "./testing-agents.ts";

const patience = { timeout: 60_000 };

test("an agent joins with a token, finds the pinned authority, and gets a certificate and a Host", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  const token = await joinToken(server, { labels: { pool: "build" } });
  const socket = connect({
    port: Number(address.split(":")[1]),
    host: "127.0.0.1",
    rejectUnauthorized: false,
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  const shown = socket.getPeerX509Certificate() as X509Certificate;
  const authority = shown.issuerCertificate as X509Certificate;
  socket.destroy();
  const key = authority.publicKey.export({ type: "spki", format: "der" });
  expect(createHash("sha256").update(key).digest("base64url")).toBe(readJoinToken(token.text)?.pin);
  const { answer } = await join(address, token.text, "build-1");
  expect(answer).toMatchObject({ scope: "", name: "build-1", identityGeneration: 1, bearer: "" });
  const certificate = new X509Certificate(answer.certificate);
  expect(certificate.verify(new X509Certificate(answer.authority).publicKey)).toBe(true);
  const host = await server.call("GET", "/hosts/build-1");
  expect(host.body.metadata).toMatchObject({ uid: answer.hostUid, labels: { pool: "build" } });
  const [row] = await server.database.query("select labels, drained, state from agent");
  expect(row).toMatchObject({
    labels: { pool: "build", "reeve/os": "linux", "reeve/arch": "x64", "reeve/host": "build-1" },
    drained: false,
    state: "joined",
  });
  const audit = await server.call("GET", "/audit?kind=Host&operation=join");
  expect(audit.body.items[0]).toMatchObject({
    name: "build-1",
    outcome: "done",
    detail: { token: token.name },
  });
  const kept = await server.database.query<{ text: string }>(
    "select r::text as text from resource r union all select a::text from audit a union all select c::text from change c union all select s::text from join_secret s union all select g::text from agent g",
  );
  const { secret } = readJoinToken(token.text) as { secret: string };
  expect(kept.some(({ text }) => text.includes(secret))).toBe(false);
});

test("a token works once, also when many try at the same moment; the same key may ask again until its identity is used", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  const { text } = await joinToken(server);
  const { key, request } = testSigningRequest();
  const ask = () => agentClient(address).enrol({ token: text, name: "one", signingRequest: request });
  const first = await ask();
  const again = await ask();
  expect(again).toMatchObject({ hostUid: first.hostUid, identityGeneration: 1 });
  expect(again.certificate).not.toBe(first.certificate);
  // The first answer was lost: its certificate opens nothing.
  const lost = clientOf(address, { key, answer: first });
  expect((await refusalOf(lost.renew({}))).code).toBe(Code.Unauthenticated);
  await clientOf(address, { key, answer: again }).renew({ signingRequest: testSigningRequest().request });
  expect((await refusalOf(ask())).code).toBe(Code.Unauthenticated);

  const { text: contested } = await joinToken(server, { uses: 2 });
  const tries = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) => join(address, contested, `many-${n}`)),
  );
  expect(tries.filter((one) => one.status === "fulfilled")).toHaveLength(2);
  expect((await server.call("GET", "/hosts?limit=100")).body.items).toHaveLength(3);
});

test("what is no join token, an expired one, one of a deleted token, and a wrong name are refused, and it is recorded", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  const { name, text } = await joinToken(server, { hosts: "build-*" });
  const code = async (token: string, host = "build-1") => (await refusalOf(join(address, token, host))).code;
  expect(await code("rjt_nothing")).toBe(Code.Unauthenticated);
  const { id, pin } = readJoinToken(text) as { id: string; pin: string };
  expect(await code(`rjt_${id}_${"A".repeat(43)}_${pin}`)).toBe(Code.Unauthenticated);
  expect(await code(`rjt_x'; drop table agent_${"A".repeat(43)}_${pin}`)).toBe(Code.Unauthenticated);
  expect(await code(text, "web-1")).toBe(Code.InvalidArgument);
  expect(await code(text, "build-../etc")).toBe(Code.InvalidArgument);
  await server.database.query(
    `update resource set status = jsonb_set(status, '{expiresAt}', '"2020-01-01T00:00:00Z"') where kind = 'JoinToken'`,
  );
  expect(await code(text)).toBe(Code.Unauthenticated);
  await server.call("POST", `/jointokens/${name}/actions/issue`, { body: {} });
  expect(await code(text)).toBe(Code.Unauthenticated);
  const other = await joinToken(server);
  await server.call("DELETE", `/jointokens/${other.name}`);
  expect(await code(other.text)).toBe(Code.Unauthenticated);
  expect((await server.call("GET", "/hosts")).body.items).toEqual([]);
  const refused = await server.call("GET", "/audit?kind=Credential&outcome=denied");
  expect(refused.body.items[0]).toMatchObject({ name: "join-token", operation: "authenticate" });
});

test("a host that has an agent is only taken over by a token that says so; one that waits for its agent by any", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  await server.call("PUT", "/hosts/ready", {
    body: {
      apiVersion: "reeve/v1",
      kind: "Host",
      metadata: { name: "ready", labels: { zone: "a" } },
      spec: {},
    },
  });
  const joined = await join(address, (await joinToken(server)).text, "ready");
  expect((await server.call("GET", "/hosts/ready")).body.metadata.uid).toBe(joined.answer.hostUid);
  const plain = await joinToken(server);
  expect((await refusalOf(join(address, plain.text, "ready"))).code).toBe(Code.AlreadyExists);
  // A refused try uses nothing up.
  expect((await server.call("GET", `/jointokens/${plain.name}`)).body.status.used).toBe(0);
  const wiped = await join(address, (await joinToken(server, { replace: true })).text, "ready");
  expect(wiped.answer).toMatchObject({ hostUid: joined.answer.hostUid, identityGeneration: 2 });
  expect((await refusalOf(clientOf(address, joined).renew({}))).code).toBe(Code.Unauthenticated);
});

test("a join token goes a day after it stopped working: used up, however long it was for, or expired", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  const long = { expiresAt: new Date(Date.now() + 7 * 86_400_000).toISOString() };
  const [usedUp, open, late] = [
    await joinToken(server, long),
    await joinToken(server, { ...long, uses: 2 }),
    await joinToken(server),
  ];
  await join(address, usedUp.text, "one");
  await join(address, open.text, "two");
  const names = async () =>
    (await server.call("GET", "/jointokens")).body.items.map(
      (one: { metadata: { name: string } }) => one.metadata.name,
    );
  const why = async (name: string) => (await server.call("GET", `/jointokens/${name}/why`)).body.look;
  await expect.poll(async () => (await why(usedUp.name)).why, patience).toMatch(/^is used up/);
  await expect.poll(async () => (await why(open.name)).why, patience).toMatch(/^works until/);
  expect((await names()).sort()).toEqual([usedUp.name, open.name, late.name].sort());
  await server.database.query(
    `update resource set updated_at = now() - interval '25 hours' where kind = 'JoinToken'`,
  );
  await server.database.query(
    `update resource set status = jsonb_set(status, '{expiresAt}', to_jsonb(now() - interval '25 hours')) where name = $1`,
    [late.name],
  );
  await server.database.query("update look set due_at = now() where kind = 'JoinToken'");
  await expect.poll(names, patience).toEqual([open.name]);
});
