import { registry } from "./areas.ts";
import type { Thing } from "./testing-crawl-things.ts";

/** A route that reads, as the API describes itself: one that is new is here without anybody's doing. */
export interface Route {
  readonly path: string;
  /** The same at all levels at which a kind lives. */
  readonly name: string;
  /** Of an answer. */
  readonly status: number;
  readonly onlyStreams: boolean;
  readonly parameters: readonly Parameter[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[] };
}

export interface Asked {
  readonly path: string;
  readonly streams: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: a document, looked into
export function routesIn({ paths, components }: any): Route[] {
  const known = (one: Parameter & { $ref?: string }): Parameter =>
    one.$ref === undefined ? one : components.parameters[one.$ref.split("/").at(-1) as string];
  const plurals = registry.kinds.map(({ plural }) => plural).join("|");
  const place = new RegExp(`^(/(organization|project|workspace)s/\\{\\2\\})+(?=/(${plurals})(/|$))`);
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  return Object.entries<any>(paths).flatMap(([address, { get }]) => {
    if (get === undefined) return [];
    const path = address.replace("/api/v1", "");
    const [status = "", answer] = Object.entries<{ content?: object }>(get.responses)[0] ?? [];
    return {
      path,
      name: path.replace(place, ""),
      status: Number(status),
      onlyStreams: Object.keys(answer?.content ?? {}).join() === "text/event-stream",
      parameters: (get.parameters ?? []).map(known),
    };
  });
}

/** Everything that a route can be asked for: of all things that are there, in all its forms. */
export function asksOf(route: Route, things: readonly Thing[], queries: readonly string[]): Asked[] {
  return pathsOf(route, things).flatMap((path) => queries.flatMap((query) => formsOf(route, path, query)));
}

function pathsOf({ path, parameters }: Route, things: readonly Thing[]): string[] {
  const choice = parameters.find((one) => one.in === "path" && one.schema.enum !== undefined);
  if (choice !== undefined)
    return (choice.schema.enum ?? []).map((word) => path.replace(`{${choice.name}}`, word));
  if (!path.includes("{")) return [path];
  return things
    .filter(({ form }) => path === form || path.startsWith(`${form}/`))
    .map((thing) => thing.path + path.slice(thing.form.length))
    .filter((filled) => !filled.includes("{"));
}

/** As it is, in each of its formats, and as a stream. Lists of a kind are watched by `crawlWatches`. */
function formsOf({ onlyStreams, parameters }: Route, path: string, query: string): Asked[] {
  const has = (name: string) => parameters.some((one) => one.in === "query" && one.name === name);
  const formats = parameters.find(({ name }) => name === "format")?.schema.enum ?? [];
  const streams = has("deep") ? [] : ["watch", "follow"].filter(has);
  return [
    { path: joined(path, query), streams: onlyStreams },
    ...formats.map((one) => ({ path: joined(path, query, `format=${one}`), streams: false })),
    ...streams.map((one) => ({ path: joined(path, query, `${one}=true`), streams: true })),
  ];
}

export function joined(path: string, ...queries: readonly string[]): string {
  const query = queries.filter((one) => one !== "").join("&");
  return query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;
}
