/**
 * Who may import whom: the table of docs' architecture as a program. A room is `core/model`, `areas/access/kinds`,
 * `clients/sdk`, `apps/server`, `tests` or `tools`. In the lists `*` is any name and `=` is the importer's own area.
 */
const KINDS = "areas/*/kinds";
const SERVER_CORE = ["core/model", "core/store", "core/keys", "core/runs", "core/control"];

const MAY_IMPORT: Record<string, readonly string[]> = {
  "core/model": [],
  "core/protocol": [],
  "core/git": [],
  "core/store": ["core/model"],
  "core/keys": ["core/model", "core/store"],
  "core/runs": ["core/model", "core/store"],
  "core/control": ["core/model", "core/protocol", "core/git", "core/store", "core/keys", "core/runs"],
  "core/agent": ["core/model", "core/protocol"],
  "areas/*/kinds": ["core/model", KINDS],
  "areas/*/control": [...SERVER_CORE, "core/git", KINDS, "areas/=/store"],
  "areas/*/store": [...SERVER_CORE, KINDS],
  "areas/*/agent": ["core/model", "core/agent", "core/git", KINDS],
  "areas/*/cli": ["core/model", "clients/sdk", KINDS],
  "areas/*/web": ["core/model", "clients/sdk", "clients/kit", KINDS],
  "clients/kit": ["core/model", "clients/sdk", KINDS],
  "clients/*": ["core/model", KINDS],
  "apps/server": [...SERVER_CORE, "core/protocol", "core/git", KINDS, "areas/*/control", "areas/*/store"],
  "apps/agent": ["core/model", "core/protocol", "core/agent", KINDS, "areas/*/agent"],
  "apps/cli": ["core/model", "clients/*", KINDS, "areas/*/cli"],
  "apps/console": ["core/model", "clients/sdk", "clients/kit", KINDS, "areas/*/web"],
  tests: ["**"],
  tools: ["**"],
};

/** Undefined for a file that stands in no room, for example directly in an area's folder. */
export function roomOf(file: string): string | undefined {
  const [top = "", name, part] = file.split("/");
  if (top === "tests" || top === "tools") return top;
  const room = top === "areas" ? [top, name, part].join("/") : [top, name].join("/");
  return patternOf(room) ? room : undefined;
}

export function mayImport(from: string, to: string): boolean {
  if (from === to) return true;
  const allowed = MAY_IMPORT[patternOf(from) ?? ""] ?? [];
  return allowed.some((pattern) => matches(pattern.replace("=", from.split("/")[1] ?? ""), to));
}

function patternOf(room: string): string | undefined {
  return Object.keys(MAY_IMPORT).find((pattern) => matches(pattern, room));
}

function matches(pattern: string, room: string): boolean {
  if (pattern === "**") return true;
  const wanted = pattern.split("/");
  const found = room.split("/");
  return wanted.length === found.length && wanted.every((word, at) => word === "*" || word === found[at]);
}
