import {
  childScope,
  Fault,
  isName,
  type Kind,
  levelOf,
  levels,
  nameRule,
  type Registry,
  type Scope,
} from "@reeve/model";

/** The words that may follow a resource's address. No kind may be called like one of them. */
export const subOperations = ["diff", "history", "rollback", "events", "why", "actions"] as const;
type SubOperation = (typeof subOperations)[number];

export interface Target {
  readonly kind: Kind;
  readonly scope: Scope;
  /** Absent for a collection. */
  readonly name?: string;
  readonly sub?: SubOperation;
  /** The action's name, after `actions`. */
  readonly action?: string;
}

/**
 * Reads what follows /api/v1: pairs that lead down the scope tree, then a collection, a name, an operation. A deep list
 * may begin above where its kind lives: all workspaces of an organization.
 */
export function readTarget(path: string, registry: Registry, deep = false): Target {
  const parts = path.split("/");
  let scope: Scope = "";
  let at = 0;
  // A pair is part of the scope only when another collection follows it.
  while (opensNext(parts[at], scope, registry) && registry.byPlural(parts[at + 2] ?? "") !== undefined) {
    scope = childScope(scope, named(parts[at + 1]));
    at += 2;
  }
  const kind = registry.byPlural(parts[at] ?? "");
  const [name, sub, action, ...rest] = parts.slice(at + 1);
  if (
    kind === undefined ||
    rest.length > 0 ||
    (action !== undefined && sub !== "actions") ||
    (sub === "actions" && action === undefined)
  )
    throw nothingHere(path);
  const below = deep && name === undefined && livesBelow(kind, scope);
  if (!kind.levels.includes(levelOf(scope)) && !below) throw nothingHere(path);
  if (name === undefined) return { kind, scope };
  if (sub === undefined) return { kind, scope, name: named(name) };
  if (!(subOperations as readonly string[]).includes(sub)) throw nothingHere(path);
  return {
    kind,
    scope,
    name: named(name),
    sub: sub as SubOperation,
    ...(action === undefined ? {} : { action }),
  };
}

export function checkPlurals(registry: Registry): void {
  const clash = registry.kinds.find((kind) => (subOperations as readonly string[]).includes(kind.plural));
  if (clash !== undefined)
    throw new Error(
      `the kind ${clash.name} cannot have the plural "${clash.plural}": REST uses the word for an operation`,
    );
}

function opensNext(word: string | undefined, scope: Scope, registry: Registry): boolean {
  const kind = registry.byPlural(word ?? "");
  return kind?.opensScope === true && kind.levels.includes(levelOf(scope));
}

function livesBelow(kind: Kind, scope: Scope): boolean {
  return kind.levels.some((level) => levels.indexOf(level) > levels.indexOf(levelOf(scope)));
}

function named(part: string | undefined): string {
  if (part !== undefined && isName(part)) return part;
  throw new Fault("invalid", `${JSON.stringify((part ?? "").slice(0, 80))} in the address is not a name`, {
    errors: [{ pointer: "/metadata/name", message: nameRule }],
    next: nameRule,
  });
}

export function nothingHere(path: string): Fault {
  return new Fault("not_found", `there is nothing at /api/v1/${path.slice(0, 200)}`, {
    next: "GET /api/v1/kinds lists the kinds; /docs describes every address",
  });
}
