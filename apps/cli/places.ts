import { type Level, levelOf, parseScope, type Scope, selfAndAncestors, showScope } from "@reeve/model";
import { type CliKind, Usage } from "@reeve/sdk/cli";

/** A scope a person stands in, and whether they named it in this very command. */
export interface Standing {
  readonly scope: Scope;
  readonly explicit: boolean;
}

/**
 * The scope in which to look for a kind. Whoever stands deeper than the kind lives is taken to mean the ancestor (projects
 * from within acme/shop are those of acme); a scope named in the command is taken at its word.
 */
export function fitScope(kind: CliKind, standing: Standing, deep = false): Scope {
  const scope = parseScope(standing.scope);
  if (kind.levels.includes(levelOf(scope))) return scope;
  const above = selfAndAncestors(scope).find((one) => kind.levels.includes(levelOf(one)));
  if (above !== undefined && (!standing.explicit || deep)) return above;
  if (above === undefined && deep) return scope;
  throw new Usage(
    `${kind.plural} live in ${kind.levels.map((level) => levelNames[level]).join(" or ")}, not in ${showScope(scope)}`,
    above === undefined ? adviceDown(kind) : `use --scope ${above === "" ? '""' : above}`,
  );
}

/** Reads a name that may carry its scope: `ci`, or `acme/shop/ci`. */
export function placeOf(kind: CliKind, text: string, standing: Standing): { scope: Scope; name: string } {
  const at = text.lastIndexOf("/");
  const name = text.slice(at + 1);
  if (name === "")
    throw new Usage(`${JSON.stringify(text)} names no ${kind.name}`, "write KIND/NAME, such as project/shop");
  if (at < 0) return { scope: fitScope(kind, standing), name };
  return { scope: fitScope(kind, { scope: text.slice(0, at), explicit: true }), name };
}

/** `sa/acme/shop/ci` is kind and path; the path may itself hold the scope. */
export function splitTarget(text: string): { word: string; path: string } | undefined {
  const at = text.indexOf("/");
  return at <= 0 || at === text.length - 1
    ? undefined
    : { word: text.slice(0, at), path: text.slice(at + 1) };
}

const levelNames: Record<Level, string> = {
  installation: "the installation",
  organization: "an organization",
  project: "a project",
  workspace: "a workspace",
};

const levelForms: Record<Level, string> = {
  installation: '""',
  organization: "ORGANIZATION",
  project: "ORGANIZATION/PROJECT",
  workspace: "ORGANIZATION/PROJECT/WORKSPACE",
};

function adviceDown(kind: CliKind): string {
  const form = levelForms[kind.levels[0] as Level];
  return `give one with --scope ${form}, or once for all: reeve context set-scope ${form}; -A looks in all scopes below`;
}
