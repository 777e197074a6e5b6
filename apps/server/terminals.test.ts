import { createHash } from "node:crypto";
import { once } from "node:events";
import { readCast } from "@reeve/model";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { type TestServer, testServer } from "./testing.ts";
import { agentsAddress, clientOf, connected, join, joinToken, patientWithLinks } from "./testing-agents.ts";
import { done, newUser, type Person } from "./testing-people.ts";
import { openTerminal } from "./testing-terminals.ts";
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

const patience = { timeout: 60_000 };

test("bytes go both ways, and the terminal ends with the command, recorded from its beginning to its end", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { client, line, service } = await linked(server);
  const eddi = await newUser(server, "eddi", [{ role: "editor", scope: "acme" }]);
  const open = await openTerminal(server, eddi.token, await ticketFor(eddi));
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
  const server = await testServer({ settings: patientWithLinks });
  const { client, line } = await linked(server);
  const eddi = await newUser(server, "eddi", [{ role: "editor", scope: "acme" }]);
  const eve = await newUser(server, "eve", [{ role: "editor", scope: "acme" }]);
  const refused = async (token: string, ticket: string) => {
    const { closed, texts } = await openTerminal(server, token, ticket);
    await closed;
    return texts.at(-1)?.problem?.detail;
  };
  const stolen = await ticketFor(eddi);
  expect(await refused(eve.token, stolen)).toContain("not yours");
  // Whoever stole it has used it up.
  expect(await refused(eddi.token, stolen)).toContain("it was used");
  const ticket = await ticketFor(eddi);
  const open = await openTerminal(server, eddi.token, ticket);
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts, patience).toEqual([{ opened: { host: "one", recorded: false } }]);
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
  const server = await testServer({ settings: patientWithLinks });
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
  const open = await openTerminal(server, server.owner, await ticketFor(server));
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts.length, patience).toBe(1);
  agent.cut();
  await open.closed;
  expect(open.texts.at(-1)).toEqual({
    end: { why: "the host's agent was lost, and what ran there was ended" },
  });
});

test("where an organization records, what is shown is kept and what is typed is not; replaying is a right of its own", async () => {
  const server = await testServer({ settings: patientWithLinks });
  const { client, line } = await linked(server);
  await done(server.call("PUT", "/organizations/acme", { body: { spec: { recordTerminals: true } } }));
  const eddi = await newUser(server, "eddi", [{ role: "editor", scope: "acme" }]);
  const open = await openTerminal(server, eddi.token, await ticketFor(eddi));
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts, patience).toEqual([{ opened: { host: "one", recorded: true } }]);
  open.socket.send(Buffer.from("typed-secret\n"));
  open.socket.send(JSON.stringify({ size: { rows: 30, columns: 40 } }));
  await expect.poll(() => agent.heard.map((one) => one.case), patience).toEqual(["data", "size"]);
  // A letter of several bytes that comes in two pieces.
  await agent.say({ case: "data", value: Buffer.from("$ gr\xc3", "latin1") });
  await agent.say({ case: "data", value: Buffer.from("\xbcn", "latin1") });
  await agent.say({ case: "end", value: { exitCode: 0 } });
  await open.closed;

  const [recording] = (await server.call("GET", "/recordings?kind=Service")).body.items;
  expect(recording).toMatchObject({
    ...{ scope: "acme", kind: "Service", name: "web", verb: "exec", host: "one", subject: "user:eddi" },
    ...{ detail: { command: ["sh"], container: "web" }, endedAt: expect.any(String) },
  });
  const headers = { authorization: `Bearer ${server.owner}` };
  const text = await (
    await fetch(`${server.url}/api/v1/recordings/${recording.id}/cast`, { headers })
  ).text();
  const { head, events } = readCast(text);
  expect(head).toMatchObject({ width: 20, height: 10, title: "exec web on one" });
  expect(events.map(([, what]) => what)).toEqual(["r", "o", "o"]);
  expect(events.map(([, , data]) => data).join("")).toBe("40x30$ grün");
  expect(text).not.toContain("typed-secret");
  // Its audit rows name it, with what it has to be.
  const rows = async (operation: string) =>
    (await server.call("GET", `/audit?kind=Service&operation=${operation}`)).body.items;
  const sha256 = createHash("sha256").update(text).digest("hex");
  expect(recording.sha256).toBe(sha256);
  expect((await rows("exec-end"))[0].detail).toMatchObject({ recording: recording.id, sha256 });
  expect((await rows("exec"))[0].detail).toMatchObject({ recording: recording.id });
  expect((await rows("replay"))[0]).toMatchObject({
    subject: "user:ada",
    detail: { recording: recording.id },
  });

  expect((await eddi.call("GET", "/recordings")).status).toBe(403);
  expect((await eddi.call("GET", `/recordings/${recording.id}/cast`)).status).toBe(404);
  const spec = { allows: ["terminals:replay"] };
  await done(server.call("PUT", "/organizations/acme/roles/replayer", { body: { spec } }));
  const rita = await newUser(server, "rita", [{ role: "replayer", scope: "acme" }]);
  expect((await rita.call("GET", `/recordings/${recording.id}`)).body.id).toBe(recording.id);
  await done(server.call("PUT", "/organizations/other", { body: { spec: {} } }));
  const otto = await newUser(server, "otto", [{ role: "owner", scope: "other" }]);
  expect((await otto.call("GET", "/recordings")).body.items).toEqual([]);
  expect((await otto.call("GET", `/recordings/${recording.id}`)).status).toBe(404);

  // Sealed at rest it reads as ever, and so does one that was sealed from its beginning.
  const sealing = { recordTerminals: true, encryptAtRest: true };
  await done(server.call("PUT", "/organizations/acme", { body: { spec: sealing } }));
  const inClear = () =>
    server.database.query(
      `select r.id from terminal_recording r join terminal_recording_part p on p.recording_id = r.id
       where p.sealed is null or r.detail ->> '$sealed' is null`,
    );
  await expect.poll(inClear, patience).toEqual([]);
  const castOf = async (id: string) =>
    await (await fetch(`${server.url}/api/v1/recordings/${id}/cast`, { headers })).text();
  expect(await castOf(recording.id)).toBe(text);
  const next = await openTerminal(server, eddi.token, await ticketFor(eddi));
  const again = answerDial(client, await line.hear("dial"));
  await again.say({ case: "data", value: Buffer.from("sealed at once") });
  await again.say({ case: "end", value: { exitCode: 0 } });
  await next.closed;
  expect(await inClear()).toEqual([]);
  const [newest, older] = (await server.call("GET", "/recordings?kind=Service")).body.items;
  expect(older).toEqual(recording);
  expect(newest.detail).toEqual(recording.detail);
  expect(await castOf(newest.id)).toContain("sealed at once");
});

test("a terminal that has to be recorded does not open without, and ends when it cannot be recorded any more", async () => {
  const server = await testServer({ settings: { ...patientWithLinks, REEVE_RECORD_TERMINALS: "true" } });
  const { client, line } = await linked(server);
  const open = await openTerminal(server, server.owner, await ticketFor(server));
  const agent = answerDial(client, await line.hear("dial"));
  await expect.poll(() => open.texts, patience).toEqual([{ opened: { host: "one", recorded: true } }]);
  await server.database.query("alter table terminal_recording_part rename to gone");
  await agent.say({ case: "data", value: Buffer.from("$ ") });
  await open.closed;
  const why = "this terminal has to be recorded, and what it shows could not be written";
  expect(open.texts.at(-1)).toEqual({ end: { why } });
  await agent.closed;
  await server.database.query("alter table terminal_recording rename to gone_too");
  const refused = await openTerminal(server, server.owner, await ticketFor(server));
  await refused.closed;
  expect(refused.texts.at(-1)?.problem?.detail).toContain("the recording could not be begun");
});
