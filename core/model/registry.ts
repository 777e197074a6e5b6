import { Fault } from "./fault.ts";
import type { Kind } from "./kind.ts";
import { type Level, levelOf, type Scope } from "./scope.ts";

/** All kinds of an installation. Built once, at start; a clash of names stops the start. */
export interface Registry {
  readonly kinds: readonly Kind[];
  byName(name: string): Kind;
  byPlural(plural: string): Kind | undefined;
  /** By name, plural or short name, in any case: what a person types. */
  find(word: string): Kind | undefined;
  /** The kind whose resources open the scopes of a level: Organization, Project, Workspace. */
  opening(level: Level): Kind | undefined;
  /** The kind whose resources limit their scope: Quota. */
  readonly limiting: Kind | undefined;
}

export function kindRegistry(kinds: readonly Kind[]): Registry {
  const words = new Map<string, Kind>();
  for (const kind of kinds)
    for (const word of new Set([kind.name.toLowerCase(), kind.plural, ...kind.shortNames])) {
      if (words.has(word))
        throw new Error(`two kinds answer to "${word}": ${words.get(word)?.name} and ${kind.name}`);
      words.set(word, kind);
    }
  const names = new Map(kinds.map((kind) => [kind.name, kind]));
  const plurals = new Map(kinds.map((kind) => [kind.plural, kind]));
  const openers = kinds.filter((kind) => kind.opensScope);
  return {
    kinds,
    byName(name) {
      const kind = names.get(name);
      if (kind === undefined) throw unknownKind(name, kinds);
      return kind;
    },
    byPlural: (plural) => plurals.get(plural),
    find: (word) => words.get(word.toLowerCase()),
    limiting: kinds.find((kind) => kind.limitsScope),
    opening: (level) => openers.find((kind) => opensLevel[kind.levels[0] as Level] === level),
  };
}

/** A kind that opens scopes lives one level above the scopes it opens. */
const opensLevel: Record<Level, Level | undefined> = {
  installation: "organization",
  organization: "project",
  project: "workspace",
  workspace: undefined,
};

export function checkLevel(kind: Kind, scope: Scope): void {
  const level = levelOf(scope);
  if (kind.levels.includes(level)) return;
  throw new Fault("invalid", `a ${kind.name} lives at the level ${kind.levels.join(" or ")}, not ${level}`, {
    errors: [
      { pointer: "/metadata/scope", message: `expected a scope of level ${kind.levels.join(" or ")}` },
    ],
    next: scopeAdvice(kind),
  });
}

function scopeAdvice(kind: Kind): string {
  const forms: Record<Level, string> = {
    installation: "leave the scope empty",
    organization: "give the scope as organization",
    project: "give the scope as organization/project",
    workspace: "give the scope as organization/project/workspace",
  };
  return kind.levels.map((level) => forms[level]).join(", or ");
}

function unknownKind(name: string, kinds: readonly Kind[]): Fault {
  return new Fault("invalid", `there is no kind ${JSON.stringify(name.slice(0, 80))}`, {
    errors: [{ pointer: "/kind", message: "unknown kind" }],
    next: `the kinds are ${kinds.map((kind) => kind.name).join(", ")}`,
  });
}
