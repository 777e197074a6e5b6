import { type Client, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import type { Resource } from "@reeve/model";
import { ResourceService } from "@reeve/protocol";
import { registry } from "./areas.ts";
import type { TestServer } from "./testing.ts";
import { allResources } from "./testing-crawl-things.ts";

type Asked = Client<typeof ResourceService>;
type OfOne = (client: Asked, resource: Resource) => Promise<unknown>;

const address = ({ kind, metadata: { scope, name } }: Resource) => ({ kind, scope, name });
const nothingKept = { dryRun: true };
const manifest = ({ apiVersion, kind, metadata, spec }: Resource) =>
  ({ apiVersion, kind, metadata: { ...metadata, labels: { other: "yes" } }, spec }) as never;

/** Every method, asked of every resource, or a word why it is not: a new one cannot be forgotten. */
const methods = {
  get: (client, one) => client.get({ address: address(one) }),
  history: (client, one) => client.history({ address: address(one) }),
  events: (client, one) => client.events({ address: address(one) }),
  why: (client, one) => client.why({ address: address(one) }),
  diff: (client, one) => client.diff({ manifest: manifest(one) }),
  apply: (client, one) => client.apply({ manifest: manifest(one), options: nothingKept }),
  applyMany: (client, one) => client.applyMany({ manifests: [manifest(one)], options: nothingKept }),
  patch: (client, one) => client.patch({ address: address(one), patch: {}, options: nothingKept }),
  rollback: (client, one) =>
    client.rollback({
      address: address(one),
      generation: BigInt(one.metadata.generation),
      options: nothingKept,
    }),
  // What is in use says by whom.
  delete: (client, one) =>
    client.delete({ address: address(one), options: nothingKept }).catch((error) => {
      if (error instanceof ConnectError) return error.message;
      throw error;
    }),
  list: "asked of every kind",
  watch: "asked of every kind",
  listKinds: "asked once",
  act: "a deed of the kind's own; plants hear what it answers",
} satisfies Record<keyof typeof ResourceService.method, OfOne | string>;

export async function crawlConnect(server: TestServer): Promise<string> {
  const transport = createConnectTransport({
    baseUrl: server.url,
    httpVersion: "1.1",
    interceptors: [
      (next) => (request) => {
        request.header.set("authorization", `Bearer ${server.owner}`);
        return next(request);
      },
    ],
  });
  const client = createClient(ResourceService, transport);
  const heard: unknown[] = [await client.listKinds({})];
  for (const { name: kind } of registry.kinds) {
    heard.push(await client.list({ selection: { kind, deep: true }, limit: 1000 }));
    for (const since of [undefined, 0n]) heard.push(...(await watched(client, kind, since)));
  }
  const ofOne: readonly (OfOne | string)[] = Object.values(methods);
  for (const resource of await allResources(server))
    for (const ask of ofOne) if (typeof ask !== "string") heard.push(await ask(client, resource));
  return JSON.stringify(heard, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

async function watched(client: Asked, kind: string, since: bigint | undefined): Promise<unknown[]> {
  const heard: unknown[] = [];
  const from = since === undefined ? {} : { since };
  for await (const message of client.watch({ selection: { kind, deep: true }, ...from })) {
    heard.push(message);
    if (message.event.case === "synced") break;
  }
  return heard;
}
