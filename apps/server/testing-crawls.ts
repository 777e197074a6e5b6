import type { Resource } from "@reeve/model";
import { registry } from "./areas.ts";
import type { TestServer } from "./testing.ts";
import type { Crawl } from "./testing-canary.ts";
import { inScope } from "./testing-people.ts";

/** Every read that there is, as the owner of the installation, who may read everything. */
export const crawls: readonly Crawl[] = [
  { what: "REST: resources with history, events, why and diff", showsSpecs: true, read: crawlResources },
  { what: "REST: all other reads, the audit among them", showsSpecs: true, read: crawlRoutes },
  { what: "watches, from the first change on", showsSpecs: true, read: crawlWatches },
  { what: "Connect", showsSpecs: true, read: crawlConnect },
  { what: "every row of every table", showsSpecs: true, read: crawlTables },
];

async function crawlResources(server: TestServer): Promise<string> {
  const heard: unknown[] = [];
  const read = async (method: string, path: string, body?: unknown) => {
    const answer = await server.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
    heard.push(answer.body, [...answer.headers]);
    return answer.body;
  };
  for (const { plural } of registry.kinds) {
    const { items } = (await read("GET", `/${plural}?deep=true&limit=1000`)) as { items: Resource[] };
    for (const resource of items) {
      const path = `${inScope(resource.metadata.scope)}/${plural}/${resource.metadata.name}`;
      for (const part of ["", "/history", "/events", "/why"]) await read("GET", path + part);
      const { apiVersion, kind, metadata } = resource;
      const other = {
        apiVersion,
        kind,
        metadata: { ...metadata, labels: { other: "yes" } },
        spec: resource.spec,
      };
      await read("POST", `${path}/diff`, other);
      await read("PUT", `${path}?dryRun=true`, other);
    }
  }
  return JSON.stringify(heard);
}

/** Routes that nobody has thought of here are found by the description of the API. */
async function crawlRoutes(server: TestServer): Promise<string> {
  const description = (await server.call("GET", "/openapi.json")).body;
  const paths = Object.entries(description.paths as Record<string, object>)
    .filter(([path, methods]) => "get" in methods && !/\{(name|organization|id)\}/.test(path))
    .map(([path]) => path.replace("/api/v1", ""));
  const topics = ["reconcilers", "leases", "links", "lane"];
  const heard: unknown[] = [description, (await server.call("GET", "/docs")).body];
  for (const path of paths)
    for (const topic of path.includes("{topic}") ? topics : [""]) {
      const answer = await server.call("GET", path.replace("{topic}", topic));
      heard.push(answer.body, [...answer.headers]);
    }
  return JSON.stringify(heard);
}

async function crawlWatches(server: TestServer): Promise<string> {
  const texts = registry.kinds.flatMap(({ plural }) =>
    ["", "&since=0"].map(async (since) => {
      const ending = new AbortController();
      const answer = await fetch(`${server.url}/api/v1/${plural}?deep=true&watch=true${since}`, {
        signal: ending.signal,
        headers: { authorization: `Bearer ${server.owner}` },
      });
      if (answer.status !== 200) throw new Error(`watching ${plural}: ${answer.status}`);
      let heard = "";
      for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
        heard += Buffer.from(chunk).toString();
        if (/event: (synced|end)/.test(heard)) break;
      }
      ending.abort();
      return heard;
    }),
  );
  return (await Promise.all(texts)).join("\n");
}

async function crawlConnect(server: TestServer): Promise<string> {
  const heard: string[] = [];
  const ask = async (method: string, body: object) => {
    const answer = await fetch(`${server.url}/reeve.v1.ResourceService/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${server.owner}` },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${method} ${JSON.stringify(body)}: ${text}`);
    heard.push(text);
    return JSON.parse(text);
  };
  await ask("ListKinds", {});
  for (const { name: kind } of registry.kinds) {
    const { items = [] } = await ask("List", { selection: { kind, deep: true }, limit: 1000 });
    for (const { metadata } of items as Resource[]) {
      const address = { kind, scope: metadata.scope, name: metadata.name };
      for (const method of ["Get", "History", "Events", "Why"]) await ask(method, { address });
    }
  }
  return heard.join("\n");
}

export async function crawlTables({ database }: TestServer): Promise<string> {
  const tables = await database.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  const texts = tables.map(({ name }) =>
    database.query<{ row: string }>(`select t::text as row from "${name}" t`),
  );
  return (await Promise.all(texts)).flatMap((rows) => rows.map(({ row }) => row)).join("\n");
}
