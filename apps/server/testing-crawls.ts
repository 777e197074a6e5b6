import type { TestServer } from "./testing.ts";
import type { Crawl } from "./testing-canary.ts";
import { crawlConnect } from "./testing-crawl-connect.ts";
import { crawlRoutes } from "./testing-crawl-routes.ts";
import { crawlWatches } from "./testing-crawl-streams.ts";
import { allResources, pathOf } from "./testing-crawl-things.ts";
import { done } from "./testing-people.ts";

/** Every read that there is, as the owner of the installation, who may read everything. */
export const crawls: readonly Crawl[] = [
  { what: "REST: every route that reads", showsSpecs: true, read: crawlRoutes },
  { what: "REST: what a change would do", showsSpecs: true, read: crawlChanges },
  { what: "REST: pages and files without a description", showsSpecs: false, read: crawlFiles },
  { what: "watches, from the first change on", showsSpecs: true, read: crawlWatches },
  { what: "Connect", showsSpecs: true, read: crawlConnect },
  { what: "every row of every table", showsSpecs: true, read: crawlTables },
];

/** Reads that are no GET: the answers are those to a change, and nothing is changed. */
async function crawlChanges(server: TestServer): Promise<string> {
  const heard: unknown[] = [];
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await done(server.call(method, path, { body }));
    heard.push(answer.body, [...answer.headers]);
  };
  for (const resource of await allResources(server)) {
    const { apiVersion, kind, metadata, spec } = resource;
    const path = pathOf(resource);
    const other = { apiVersion, kind, metadata: { ...metadata, labels: { other: "yes" } }, spec };
    await ask("POST", `${path}/diff`, other);
    await ask("PUT", `${path}?dryRun=true`, other);
    await ask("POST", "/apply?dryRun=true", { resources: [other] });
  }
  await ask("POST", "/audit/verify", {});
  return JSON.stringify(heard);
}

async function crawlFiles({ url }: TestServer): Promise<string> {
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`);
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return `${JSON.stringify([...answer.headers])}\n${await answer.text()}`;
  };
  return (await Promise.all(["/docs/", "/agent/install.sh"].map(read))).join("\n");
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
