import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { packUsage, readJoinToken, sampleMs, usageMeasures } from "@reeve/model";
import { expect } from "vitest";
import type { TestServer } from "./testing.ts";
import { agentClient, agentsAddress, joinToken, refusalOf } from "./testing-agents.ts";
import { marker, newCanary, type Plant } from "./testing-canary.ts";
import { done, inScope } from "./testing-people.ts";
import { newSecret } from "./testing-plants-secrets.ts";
import { keeping, type Linked, linked } from "./testing-services.ts";
import { openTerminal } from "./testing-terminals.ts";
import { answerDials } from "./testing-tunnels.ts";
import { seen } from "./testing-until.ts";

/** What hosts are let in with, and what is done on them; agents here are only links, as there may be no Docker. */
export const hostPlants: readonly Plant[] = [
  {
    what: "join tokens: used, unused and wrong; what an agent behind a proxy is let in with",
    plant: plantJoins,
  },
  { what: "a secret and a registry's password of a service, and tickets of terminals", plant: plantService },
];

async function plantJoins(server: TestServer) {
  const address = await agentsAddress(server);
  const [used, unused] = [await joinToken(server), await joinToken(server)];
  const proxied = agentClient(`http://${address}`);
  const facts = { os: "linux", arch: "x64", executors: ["noop"] };
  const { bearer } = await proxied.enrol({ token: used.text, name: "box", facts });
  const wrong = unused.text.replace(/_[\w-]{43}_/, `_${newCanary()}_`);
  const answers = [
    await refusalOf(proxied.enrol({ token: used.text, name: "twin", facts })),
    await refusalOf(proxied.enrol({ token: wrong, name: "twin", facts })),
    await refusalOf(agentClient(`http://${address}`, {}, `reeve_a_${newCanary()}`).renew({})),
  ];
  // Its id and the pin of the authority are for everybody.
  const secrets = [used, unused].map(({ text }) => readJoinToken(text)?.secret ?? "");
  return { secrets: [...secrets, bearer], answers: answers.map(({ message }) => message) };
}

/** A host that answers what people ask of it, and has told what it uses. */
export async function answeringHost(server: TestServer, name: string, scope = ""): Promise<Linked> {
  const host = await linked(server, name, keeping, {}, scope);
  const line = { container: "web-1", stream: "stdout", at: "2026-01-31T12:00:00.000000000Z", text: marker };
  const found = { project: "found", folder: "/srv/found", containers: [] };
  const files = { "compose.yaml": `services: { web: { image: ${marker} } }\n` };
  answerDials(host, {
    "service-logs": () => `${JSON.stringify(line)}\n`,
    "service-storage": () => [
      { kind: "volume", id: "a", name: marker, bytes: 1, usedBy: [], goes: "named", why: "is a volume" },
    ],
    "service-projects": (asked) =>
      asked.includes("found")
        ? { ...found, compose: ["compose.yaml"], files, variables: ["A"], clear: [], changes: [] }
        : [found],
    "service-exec": () => `${marker}\n`,
  });
  const state = async () => (await server.call("GET", `${inScope(scope)}/hosts/${name}`)).body.status.agent;
  await seen(state, "connected");
  return host;
}

/** What it and a service on it use. */
export async function tellUsage({ line, uid }: Linked, service: string): Promise<void> {
  const series = { name: "web-1", values: Object.fromEntries(usageMeasures.map((one) => [one, [7]])) };
  const from = timestampFromMs((Math.floor(Date.now() / sampleMs) - 1) * sampleMs);
  const of = [uid, service].map((one) => ({ uid: one, series: packUsage([series as never]) }));
  const value = { from, sentAt: timestampFromMs(Date.now()), samples: 1, of };
  line.say({ case: "usage", value } as never);
  await line.hear("usageHeard");
}

async function plantService(server: TestServer) {
  const acme = inScope("acme");
  const [value, password] = [newCanary(), newCanary()];
  await newSecret(server, "served", { value, password }, acme);
  const ref = (key: string) => ({ secretRef: { name: "served", key } });
  const hub = {
    type: "registry",
    url: "https://hub.example.com",
    user: "robot",
    password: ref("password"),
  };
  await done(server.call("PUT", `${acme}/connections/hub`, { body: { spec: hub } }));
  const host = await answeringHost(server, "one");
  const spec = {
    files: { "compose.yaml": `services:\n  web:\n    image: ${marker}:1\n` },
    hosts: { names: ["one"] },
    environment: { PASSWORD: ref("value") },
    registries: ["hub"],
  };
  const { body: service } = await done(server.call("PUT", `${acme}/services/web`, { body: { spec } }));
  const deployed = await done(server.call("POST", `${acme}/services/web/actions/deploy`, { body: {} }));
  // The values come when it has accepted, and it does not.
  const offers = await host.line.hear("offers");
  await tellUsage(host, service.metadata.uid);

  const cancel = `/runs/${deployed.body.run}/cancel`;
  const cancelled = await done(server.call("POST", cancel, { body: { why: marker } }));

  const exec = { command: ["sh"], container: "web" };
  const ticketOf = async (path: string, body: object): Promise<string> =>
    (await done(server.call("POST", path, { body }))).body.ticket;
  const tickets = [
    await ticketOf(`${acme}/services/web/actions/exec`, exec),
    await ticketOf("/hosts/one/actions/shell", {}),
  ];
  const [used = ""] = tickets;
  const shown = [
    await terminal(server, used),
    await terminal(server, used),
    await terminal(server, newCanary()),
  ];
  expect(shown[0]).toContain(marker);
  return {
    secrets: [value, password, ...tickets],
    answers: [service, deployed.body, cancelled.body, offers.offers.map((one) => one.with), shown],
  };
}

/** What a terminal shows and says to whoever opens it by this ticket. */
async function terminal(server: TestServer, ticket: string): Promise<string> {
  const { closed, shown, texts } = await openTerminal(server, server.owner, ticket);
  await closed;
  return `${shown()}${JSON.stringify(texts)}`;
}
