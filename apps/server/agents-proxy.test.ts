import { connect, type Server, type Socket } from "node:net";
import { createServer as createTls } from "node:tls";
import { Code } from "@connectrpc/connect";
import { selfSigned } from "@reeve/control";
import { expect, onTestFinished, test } from "vitest";
import { testServer } from "./testing.ts";
import { agentClient, agentsAddress, connected, joinToken, refusalOf } from "./testing-agents.ts";

/** A proxy that ends TLS and passes plain HTTP/2 on. */
async function proxyTo(address: string): Promise<string> {
  const [host, port] = address.split(":") as [string, string];
  const pair = selfSigned("proxy", ["127.0.0.1"], 1);
  const open = new Set<Socket>();
  const proxy: Server = createTls({ ...pair, ALPNProtocols: ["h2"] }, (outside) => {
    const inside = connect(Number(port), host);
    open.add(inside);
    outside.on("error", () => inside.destroy());
    inside.on("error", () => outside.destroy());
    outside.pipe(inside).pipe(outside);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const one of open) one.destroy();
    proxy.close();
  });
  return `https://127.0.0.1:${(proxy.address() as { port: number }).port}`;
}

test("behind a declared proxy an agent joins, works and renews with bearer tokens", async () => {
  const server = await testServer({ settings: { REEVE_AGENT_PROXIES: "127.0.0.1" } });
  const url = await proxyTo(await agentsAddress(server));
  const { text } = await joinToken(server);
  const facts = { os: "linux", arch: "x64", executors: ["noop"] };
  const joined = await agentClient(url).enrol({ token: text, name: "box", facts });
  expect(joined).toMatchObject({ certificate: "", name: "box", identityGeneration: 1 });
  expect(joined.bearer).toMatch(/^reeve_a_/);
  const [kept] = await server.database.query<{ text: string }>("select agent::text as text from agent");
  expect(kept?.text).not.toContain(joined.bearer);
  await connected(agentClient(url, {}, joined.bearer));
  const renewed = await agentClient(url, {}, joined.bearer).renew({});
  expect(renewed.bearer).not.toBe(joined.bearer);
  await connected(agentClient(url, {}, renewed.bearer));
  expect((await refusalOf(agentClient(url, {}, joined.bearer).renew({}))).code).toBe(Code.Unauthenticated);
  // The other replicas and agents with certificates use the same port as before.
  const direct = agentClient(await agentsAddress(server));
  expect((await refusalOf(direct.renew({}))).code).toBe(Code.Unauthenticated);
});

test("without a declared proxy, plain HTTP/2 is not answered and no bearer token is given out", async () => {
  const server = await testServer();
  const address = await agentsAddress(server);
  const { text, name } = await joinToken(server);
  const refusal = await refusalOf(agentClient(address).enrol({ token: text, name: "box" }));
  expect(refusal).toMatchObject({ code: Code.InvalidArgument });
  expect(refusal.message).toContain("declared proxy");
  await expect(agentClient(`http://${address}`).enrol({ token: text, name: "box" })).rejects.toThrow();
  const declared = await testServer({ share: server, settings: { REEVE_AGENT_PROXIES: "192.0.2.1" } });
  const rows = await declared.database.query<{ address: string }>(
    "select peer_address as address from replica order by started_at desc limit 1",
  );
  const elsewhere = agentClient(`http://${rows[0]?.address}`);
  await expect(elsewhere.enrol({ token: text, name: "box" })).rejects.toThrow();
  expect((await server.call("GET", `/jointokens/${name}`)).body.status.used).toBe(0);
});
