import type { TestServer } from "./testing.ts";
import { marker } from "./testing-canary.ts";
import { type Asked, asksOf, joined, type Route, routesIn } from "./testing-crawl-description.ts";
import { readStream } from "./testing-crawl-streams.ts";
import { allResources, allThings } from "./testing-crawl-things.ts";
import type { Person } from "./testing-people.ts";

/** A route that is asked must answer: these may refuse, and why. */
const mayRefuse: Readonly<Record<string, { statuses: number[]; why: string }>> = {
  "/hosts/{name}/storage": { statuses: [412, 503], why: "not every host has Docker, or is connected" },
  "/hosts/{name}/compose-projects": { statuses: [412, 503], why: "likewise" },
  "/hosts/{name}/compose-projects/{compose}": { statuses: [412, 503], why: "likewise" },
  "/repositories/{name}/tree": { statuses: [412], why: "not every one could be opened" },
  "/repositories/{name}/file": { statuses: [412], why: "likewise" },
  "/sign-in/oidc/{name}/callback": { statuses: [401], why: "works once, and plants have been there" },
};

/** And at least once it must show something: these need not, and why. */
const mayBeEmpty: readonly { routes: RegExp; why: string }[] = [
  { routes: /^\/sign-in\/oidc\/\{name\}\/callback$/, why: "as above" },
  { routes: /^\/(?!runs\/)\w+\/\{\w+\}\/events$/, why: "most kinds have none" },
];

/** What is of the caller's own, and so is asked by everybody who has something. */
const ofTheCaller = ["/sessions", "/factors", "/identities", "/whoami"];

/** Every route of the description is asked for everything that is there. */
export async function crawlRoutes(server: TestServer, people: readonly Person[]): Promise<string> {
  const description = (await server.call("GET", "/openapi.json")).body;
  const routes = routesIn(description);
  const things = await allThings(server);
  const queries = await queriesOf(server);
  const heard: string[] = [JSON.stringify(description)];
  const shown = new Set<string>();
  const wrong: string[] = [];
  for (const route of routes)
    for (const asked of asksOf(route, things, queries[route.name] ?? [""]))
      for (const token of [server.owner, ...tokensFor(route, people)]) {
        const answer = await read(server, asked, token);
        heard.push(answer.text);
        if (answer.status === route.status) {
          if (answer.shows) shown.add(route.name);
        } else if (!mayRefuse[route.name]?.statuses.includes(answer.status))
          wrong.push(`${asked.path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      }
  for (const name of new Set(routes.map((route) => route.name)))
    if (!shown.has(name) && !mayBeEmpty.some(({ routes }) => routes.test(name)))
      wrong.push(`${name} shows nothing: plant something that it shows`);
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return heard.join("\n");
}

function tokensFor({ name }: Route, people: readonly Person[]): string[] {
  return ofTheCaller.includes(name) ? people.map(({ token }) => token) : [];
}

/** What routes have to be told beside their path. */
async function queriesOf(server: TestServer): Promise<Readonly<Record<string, readonly string[]>>> {
  const workflows = (await allResources(server)).filter(({ kind }) => kind === "Workflow");
  const parts = [
    { kind: "Project", deep: true },
    { runs: { limit: "500" } },
    { audit: {}, limit: 500 },
    { agents: {} },
    { work: { name: "one" } },
  ];
  return {
    "/watch": parts.map((part) => `on=${encodeURIComponent(JSON.stringify([part]))}`),
    "/runs/latest": [`of=${workflows.map(({ metadata }) => metadata.uid).join()}`],
    "/runs/{id}/logs/lines": ["after=0&to=999999999"],
    "/runs/{id}/logs/search": [`q=${marker}`, "errors=true"],
    "/repositories/{name}/file": ["path=web/compose.yaml", "path=web/app.env"],
    "/usage/{kind}": ["deep=true"],
  };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly shows: boolean;
}

async function read(server: TestServer, { path, streams }: Asked, token: string): Promise<Answer> {
  if (!streams) return readPages(server, path, token);
  const text = await readStream(server, path);
  return { status: 200, text, shows: /^event: (?!synced|done)/m.test(text) };
}

async function readPages(server: TestServer, path: string, token: string): Promise<Answer> {
  const base = /^\/(livez|readyz|metrics)$/.test(path) ? server.url : `${server.url}/api/v1`;
  const headers = { authorization: `Bearer ${token}` };
  const texts: string[] = [];
  let shows = false;
  for (let next = path; ; ) {
    const answer = await fetch(`${base}${next}`, { headers, redirect: "manual" });
    const text = await answer.text();
    texts.push(text, JSON.stringify([...answer.headers]));
    const body = /\bjson(;|$)/.test(answer.headers.get("content-type") ?? "") ? JSON.parse(text) : text;
    shows ||= answer.status === 302 || (body.items ?? body).length !== 0;
    if (body.continue === undefined) return { status: answer.status, text: texts.join("\n"), shows };
    next = joined(path, `continue=${body.continue}`);
  }
}
