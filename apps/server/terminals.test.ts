import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { type TestServer, testServer } from "./testing.ts";
import { agentsAddress, clientOf, connected, join, joinToken } from "./testing-agents.ts";
import { done, newUser, type Person } from "./testing-people.ts";
import { answerDial } from "./testing-tunnels.ts";

/** Who may open a terminal, and how it ends; agents here are only links. */

async function linked(server: TestServer) {
  const address = await agentsAddress(server);
  const identity = await join(address, (await joinToken(server)).text, "one");
  const client = clientOf(address, identity);
  const line = await connected(client);
  const spec = { files: { "compose.yaml": "services: { web: { image: web } }" }, hosts: { names: ["one"] } };
  const { body } = await done(server.call("PUT", "/organizations/acme/services/web", { body: { spec } }));
  await server.database.query("insert into kept (resource_uid, agent_uid) values ($1, $2)", [
    body.metadata.uid,
    identity.answer.hostUid,
  ]);
  return { client, line, service: body.metadata.uid };
}

async function ticketFor(person: Pick<Person, "call">): Promise<string> {
  const body = { command: ["sh"], container: "web" };
  return (await done(person.call("POST", "/organizations/acme/services/web/actions/exec", { body }))).body
    .ticket;
}

/** A terminal as a browser or the command line opens it. */
async function terminal(server: TestServer, token: string, ticket: string, headers: object = {}) {
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/api/v1/terminals`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  const texts: { end?: object; problem?: { detail: string } }[] = [];
  let shown = "";
  socket.on("message", (data: Buffer, isBinary) => {
    if (isBinary) shown += data.subarray(1).toString();
    else texts.push(JSON.parse(String(data)));
  });
  const closed = once(socket, "close");
  await once(socket, "open");
  socket.send(JSON.stringify({ ticket, size: { rows: 10, columns: 20 } }));
  return { socket, texts, closed, shown: () => shown };
}

const patience = { timeout: 60_000 };

test("bytes go both ways, and the terminal ends with the command, recorded from its beginning to its end", async () => {
  const server = await testServer();
  const { client, line, service } = await linked(server);
  const eddi = await newUser(server, "eddi", [{ role: "editor", scope: "acme" }]);
  const open = await terminal(server, eddi.token, await ticketFor(eddi));
  const dial = await line.hear("dial");
  expect(JSON.parse(dial.with)).toEqual({
    ...{ service, container: "web", command: ["sh"], tty: true },
    size: { rows: 10, columns: 20 },
  });
  const agent = answerDial(client, dial);
  await agent.say({ case: "data", value: Buffer.from("$ ") });
  await expect.poll(open.shown, patience).toBe("$ ");
  open.socket.send(Buffer.from("ls\n"));
  open.socket.send(JSON.stringify({ size: { rows: 30, columns: 40 } }));
  await expect.poll(() => agent.heard.map((one) => one.case), patience).toEqual(["data", "size"]);
  await agent.say({ case: "end", value: { exitCode: 4 } });
  await open.closed;
  expect(open.texts.at(-1)).toEqual({ end: { exitCode: 4 } });
  await agent.closed;
  const { body } = await server.call("GET", "/audit?kind=Service&operation=exec-end");
  expect(body.items[0]).toMatchObject({ name: "web", detail: { host: "one", exitCode: 4 } });
  const begun = await server.call("GET", "/audit?kind=Service&operation=exec");
  expect(begun.body.items[0].detail).toEqual({ host: "one", container: "web", command: ["sh"], tty: true });
  expect(JSON.stringify([body, begun.body])).not.toContain("reeve_t_");
});

test("a ticket opens once, for its own person, and not without the right that it was given for", async () => {
  const server = await testServer();
  const { client, line } = await linked(server);
  const eddi = await newUser(server, "eddi", [{ role: "editor", scope: "acme" }]);
  const eve = await newUser(server, "eve", [{ role: "editor", scope: "acme" }]);
  const refused = async (token: string, ticket: string) => {
    const { closed, texts } = await terminal(server, token, ticket);
    await closed;
    return texts.at(-1)?.problem?.detail;
  };
  const stolen = await ticketFor(eddi);
  expect(await refused(eve.token, stolen)).toContain("not yours");
  // Whoever stole it has used it up.
  expect(await refused(eddi.token, stolen)).toContain("it was used");
  const ticket = await ticketFor(eddi);
  const open = await terminal(server, eddi.token, ticket);
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts, patience).toEqual([{ opened: { host: "one" } }]);
  expect(await refused(eddi.token, ticket)).toContain("it was used");
  expect(await refused(eddi.token, "reeve_t_nothing")).toContain("not valid");
  const old = await ticketFor(eddi);
  await server.database.query("update terminal_ticket set at = now() - interval '61 seconds'");
  expect(await refused(eddi.token, old)).toContain("older than a minute");

  const unused = await ticketFor(eddi);
  const { body } = await server.call("GET", "/organizations/acme/rolebindings");
  const mine = body.items.find(
    (one: { spec: { subject: { name: string } } }) => one.spec.subject.name === "eddi",
  );
  await done(server.call("DELETE", `/organizations/acme/rolebindings/${mine.metadata.name}`));
  await open.closed;
  expect(open.texts.at(-1)).toEqual({ end: { why: expect.stringContaining("there is no Service web") } });
  await agent.closed;
  expect(await refused(eddi.token, unused)).toContain("there is no Service web");
  const viewer = await newUser(server, "vera", [{ role: "viewer", scope: "acme" }]);
  const asked = await viewer.call("POST", "/organizations/acme/services/web/actions/exec", {
    body: { command: ["sh"] },
  });
  expect(asked.body.detail).toContain("services:exec");
});

test("who comes without a credential, or from another site's page, is refused before anything is opened; a lost agent ends it", async () => {
  const server = await testServer();
  const { client, line } = await linked(server);
  const status = async (headers: object, path = "/api/v1/terminals") => {
    const socket = new WebSocket(`${server.url.replace("http", "ws")}${path}`, { headers: { ...headers } });
    socket.on("error", () => undefined);
    const [, response] = await once(socket, "unexpected-response");
    socket.terminate();
    return response.statusCode;
  };
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer nothing" })).toBe(401);
  expect(await status({ authorization: `Bearer ${server.owner}` }, "/api/v1/whoami")).toBe(404);
  const cookie = `reeve=${server.owner}`;
  expect(await status({ cookie, origin: "https://elsewhere.example" })).toBe(403);
  const open = await terminal(server, server.owner, await ticketFor(server));
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts.length, patience).toBe(1);
  agent.cut();
  await open.closed;
  expect(open.texts.at(-1)).toEqual({
    end: { why: "the host's agent was lost, and what ran there was ended" },
  });
});
