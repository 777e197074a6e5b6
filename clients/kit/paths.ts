import { type Scope, scopePath } from "@reeve/model";
import { collectionPath, itemPath, type KindRef } from "@reeve/sdk";

type Query = Readonly<Record<string, string | number | undefined>>;

/** The address of every page. A resource's page stands at its API address without `/api/v1`. */
export const paths = {
  overview: () => "/",
  list: (kind: KindRef, scope: Scope, query: Query = {}) =>
    withQuery(page(collectionPath(kind, scope)), query),
  resource: (kind: KindRef, scope: Scope, name: string, query: Query = {}) =>
    withQuery(page(itemPath(kind, scope, name)), query),
  /** Where one is made or changed, whichever page shows it. */
  create: (kind: KindRef, scope: Scope, query: Query = {}) =>
    withQuery(`/new${page(collectionPath(kind, scope))}`, query),
  edit: (kind: KindRef, scope: Scope, name: string, query: Query = {}) =>
    withQuery(`/edit${page(itemPath(kind, scope, name))}`, query),
  runs: (query: Query = {}) => withQuery("/runs", query),
  run: (id: string, query: Query = {}) => withQuery(`/runs/${encodeURIComponent(id)}`, query),
  audit: (query: Query = {}) => withQuery("/audit", query),
  recordings: () => "/recordings",
  recording: (id: string) => `/recordings/${encodeURIComponent(id)}`,
  settings: () => "/settings",
  about: () => "/about",
  security: () => "/security",
  signIn: (to?: string) => withQuery("/sign-in", { to }),
};

/** Leaves out what has no value, so that one page has one address. */
export function withQuery(path: string, query: Query): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== "") words.set(key, String(value));
  // What a query may hold as it is stays readable: `state=failed,timed-out`.
  const text = words.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return text === "" ? path : `${path}?${text}`;
}

const scopeMark = "{scope}";
const levelPlurals = ["organizations", "projects", "workspaces"] as const;

/** An address of a navigation item at a scope. */
export function scopedPath(to: string, scope: Scope): string {
  if (to.startsWith(scopeMark)) return scopePath(scope) + to.slice(scopeMark.length);
  return withQuery(to, { scope: scope || undefined });
}

/** The patterns of an area's page: one, or one for each level of the scope tree. */
export function pagePatterns(path: string): string[] {
  if (!path.startsWith(scopeMark)) return [path];
  const rest = path.slice(scopeMark.length);
  const level = levelPlurals.map((plural) => `/${plural}/$${plural.slice(0, -1)}`);
  return [0, 1, 2, 3].map((depth) => level.slice(0, depth).join("") + rest);
}

/**
 * What an address without its query says: the scope, what follows it, and whether something is to be made or changed there.
 * `/organizations/acme` is that organization's own page.
 */
export function readPath(path: string): { scope: Scope; rest: readonly string[]; task?: "new" | "edit" } {
  const all = path.split("/").filter(Boolean).map(decodeURIComponent);
  const task = all[0] === "new" || all[0] === "edit" ? all[0] : undefined;
  const parts = task === undefined ? all : all.slice(1);
  let depth = 0;
  while (parts[2 * depth] === levelPlurals[depth] && parts[2 * depth + 2] !== undefined) depth++;
  const names = parts.slice(0, 2 * depth).filter((_, at) => at % 2 === 1);
  return { scope: names.join("/"), rest: parts.slice(2 * depth), ...(task && { task }) };
}

function page(apiPath: string): string {
  return apiPath.slice("/api/v1".length);
}
