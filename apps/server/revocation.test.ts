import { Code } from "@connectrpc/connect";
import { openPipe } from "@reeve/model";
import { Farewell_Reason, LogStream } from "@reeve/protocol";
import { expect, test } from "vitest";
import { type TestServer, testServer } from "./testing.ts";
import {
  type AgentClient,
  agentsAddress,
  clientOf,
  connected,
  join,
  joinToken,
  patientWithLinks,
  refusalOf,
  sideEngine,
} from "./testing-agents.ts";
import { done } from "./testing-people.ts";
import { openTerminal } from "./testing-terminals.ts";
import { answerDial } from "./testing-tunnels.ts";

test("an agent that is revoked on one replica is served by none, nor over what it has open", async () => {
  const one = await testServer({ settings: patientWithLinks });
  const first = await agentsAddress(one);
  const two = await testServer({ settings: patientWithLinks, share: one });
  const links = async () => JSON.stringify((await one.call("GET", "/debug/links")).body);
  await expect.poll(links).toContain('"link":"connected"');
  const identity = await join(first, (await joinToken(one)).text, "box");
  const client = clientOf(await addressOf(two), identity);
  const line = await connected(client);

  await sideEngine(one.database)(1);
  const [{ attempt } = {}] = (await line.hear("offers")).offers;
  line.say({ case: "accepts", value: { attempts: [attempt], freeSlots: 3 } } as never);
  await line.hear("verdicts");
  const logs = openLogs(client, attempt);
  expect(await logs.write("before")).toMatchObject({ unwanted: false, durable: 6n });

  // Asked of the replica that the agent is not connected to: it goes through both.
  await serviceOn(one, identity.answer.hostUid);
  const exec = { command: ["sh"], container: "web" };
  const asked = one.call("POST", "/organizations/acme/services/web/actions/exec", { body: exec });
  const terminal = await openTerminal(one, one.owner, (await done(asked)).body.ticket);
  const tunnel = answerDial(client, await line.hear("dial"));
  await tunnel.say({ case: "data", value: Buffer.from("$ ") });
  await expect.poll(terminal.shown).toBe("$ ");

  await done(one.call("POST", "/hosts/box/actions/revoke", { body: {} }));
  expect(await line.hear("farewell")).toMatchObject({ reason: Farewell_Reason.REVOKED });
  expect(await line.ended).toBe("ended");
  await terminal.closed;
  await tunnel.closed;
  expect(await logs.write("after")).toMatchObject({ unwanted: true, durable: 0n });
  for (const address of [first, await addressOf(two)])
    expect((await refusalOf(clientOf(address, identity).renew({}))).code).toBe(Code.Unauthenticated);
});

async function addressOf(server: TestServer): Promise<string> {
  const { replica } = (await server.call("GET", "/server")).body;
  const [row] = await server.database.query<{ address: string }>(
    "select peer_address as address from replica where name = $1",
    [replica],
  );
  return row?.address ?? "";
}

async function serviceOn(server: TestServer, host: string): Promise<void> {
  const spec = { files: { "compose.yaml": "services: { web: { image: web } }" }, hosts: { names: ["box"] } };
  const { body } = await done(server.call("PUT", "/organizations/acme/services/web", { body: { spec } }));
  await server.database.query("insert into kept (resource_uid, agent_uid) values ($1, $2)", [
    body.metadata.uid,
    host,
  ]);
}

/** The stream of an agent's output; each write is answered by how far it has come. */
function openLogs(client: AgentClient, attempt: object | undefined) {
  const texts = openPipe<string>();
  let offset = 0;
  async function* requests() {
    for await (const text of texts) {
      const chunk = { attempt, stream: LogStream.STDOUT, offset: BigInt(offset), data: Buffer.from(text) };
      offset += text.length;
      yield { chunks: [chunk] } as never;
    }
  }
  const answers = client.logs(requests())[Symbol.asyncIterator]();
  return {
    async write(text: string) {
      void texts.push(text);
      const { value } = await answers.next();
      return value?.heard[0];
    },
  };
}
