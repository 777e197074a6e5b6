import { type Kind, type Level, levels, type Registry } from "@reeve/model";
import type { ParameterName } from "./openapi-parameters.ts";
import { capital, pluralName, spoken } from "./openapi-words.ts";

/** Resources of one kind at one level of the scope tree: their addresses, and the words that tell them from the others. */
export interface Place {
  readonly kind: Kind;
  readonly level: Level;
  readonly collection: string;
  readonly item: string;
  readonly scopeParameters: readonly ParameterName[];
  readonly itemParameters: readonly ParameterName[];
  readonly tag: string;
  /** Behind an operation's id: `InProject`; empty for a kind that lives at one level only. */
  readonly suffix: string;
  /** Behind a summary: ` in the project`; empty likewise. */
  readonly where: string;
}

/** Every place of every kind, from the top of the scope tree down. */
export function placesOf(registry: Registry): Place[] {
  return levels.flatMap((level) =>
    registry.kinds.filter((kind) => kind.levels.includes(level)).map((kind) => placeOf(kind, level)),
  );
}

function placeOf(kind: Kind, level: Level): Place {
  const scope = scopeNames(level);
  const path = scope.map((name) => `/${name}s/{${name}}`).join("");
  const collection = `/api/v1${path}/${kind.plural}`;
  const item = itemParameter(kind, level);
  const only = kind.levels.length === 1;
  const where = only ? "" : ` in the ${level}`;
  return {
    kind,
    level,
    collection,
    item: `${collection}/{${item}}`,
    scopeParameters: scope,
    itemParameters: [...scope, item],
    tag: capital(spoken(pluralName(kind))) + where,
    suffix: only ? "" : `In${capital(level)}`,
    where,
  };
}

type ScopeName = Exclude<Level, "installation">;

function scopeNames(level: Level): ScopeName[] {
  return levels.slice(1, levels.indexOf(level) + 1) as ScopeName[];
}

/** What opens a scope is called in its own address as it is in the addresses below it. */
function itemParameter(kind: Kind, level: Level): ParameterName {
  const opened = kind.opensScope ? levels[levels.indexOf(level) + 1] : undefined;
  return opened === undefined || opened === "installation" ? "name" : opened;
}
