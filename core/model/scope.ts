import { Fault } from "./fault.ts";
import { isName, nameRule } from "./name.ts";

/**
 * Where a resource lives, as a path: "" is the installation itself, then "acme", "acme/shop", "acme/shop/prod".
 * A resource of a scope kind (Organization, Project, Workspace) lives in its parent and opens a scope of its own.
 */
export type Scope = string;

export const levels = ["installation", "organization", "project", "workspace"] as const;
export type Level = (typeof levels)[number];

export const installation: Scope = "";

export function parseScope(text: string): Scope {
  if (text === "") return installation;
  const parts = text.split("/");
  if (parts.length > 3 || !parts.every(isName))
    throw new Fault("invalid", `${JSON.stringify(text.slice(0, 100))} is not a scope`, {
      next: `write organization, organization/project or organization/project/workspace; in each part ${nameRule}`,
    });
  return text;
}

export function levelOf(scope: Scope): Level {
  return levels[scopeParts(scope).length] as Level;
}

export function scopeParts(scope: Scope): string[] {
  return scope === "" ? [] : scope.split("/");
}

const levelPlurals = ["organizations", "projects", "workspaces"] as const;

/** Where addresses of what lives in a scope begin: `/organizations/acme/projects/shop`. */
export function scopePath(scope: Scope): string {
  return scopeParts(scope)
    .map((name, depth) => `/${levelPlurals[depth]}/${encodeURIComponent(name)}`)
    .join("");
}

export function childScope(scope: Scope, name: string): Scope {
  return scope === "" ? name : `${scope}/${name}`;
}

export function parentScope(scope: Scope): Scope {
  const at = scope.lastIndexOf("/");
  return at < 0 ? "" : scope.slice(0, at);
}

export function lastPart(scope: Scope): string {
  return scope.slice(scope.lastIndexOf("/") + 1);
}

/** The scope itself and everything above it, nearest first, the installation last. */
export function selfAndAncestors(scope: Scope): Scope[] {
  const path: Scope[] = [scope];
  for (let at = scope; at !== ""; ) {
    at = parentScope(at);
    path.push(at);
  }
  return path;
}

/** Whether `outer` is `inner` or an ancestor of it. Rights are inherited downwards along exactly this relation. */
export function contains(outer: Scope, inner: Scope): boolean {
  return outer === "" || outer === inner || inner.startsWith(`${outer}/`);
}

export function showScope(scope: Scope): string {
  return scope === "" ? "the installation" : scope;
}
