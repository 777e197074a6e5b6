import type { AnyVerb, Completes } from "@reeve/sdk/cli";
import type { CliDesk } from "../desk.ts";

/** What only the machine or the server knows. */
export interface Words {
  kinds(): readonly string[];
  contexts(): readonly string[];
  names(kind: string, scope: string | undefined): Promise<readonly string[]>;
  /** The scopes directly below one. */
  scopes(prefix: string): Promise<readonly string[]>;
}

type Verb = AnyVerb<CliDesk>;

const globalFlags: Readonly<Record<string, Completes | undefined>> = {
  "--output": ["table", "wide", "json", "yaml", "name"],
  "--labels": [],
  "--fields": [],
  "--scope": "scope",
  "--deep": undefined,
  "--context": "context",
  "--no-color": undefined,
  "--quiet": undefined,
  "--help": undefined,
};
const shortFlags: Readonly<Record<string, string>> = { "-o": "--output", "-l": "--labels", "-s": "--scope" };

/** What may stand in the last of these words, which may be empty. */
export async function candidates(
  words: readonly string[],
  verbs: readonly Verb[],
  known: Words,
): Promise<string[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const verb = verbs.find((one) => one.name.split(" ").every((part, at) => before[at] === part));
  if (verb === undefined) return matching(verbWords(before, verbs), current);
  const flags = { ...globalFlags, ...ownFlags(verb) };
  const last = before.at(-1) ?? "";
  const takes = flags[longOf(last, verb)];
  if (last.startsWith("-") && takes !== undefined)
    return matching(await expand(takes, current, [], known), current);
  if (current.startsWith("-")) return matching(Object.keys(flags), current);
  const given = argumentsOf(before.slice(verb.name.split(" ").length), verb, flags);
  const shape = verb.args?.[given.length] ?? verb.args?.findLast((one) => one.many);
  return matching(await expand(shape?.completes ?? [], current, given, known), current);
}

function verbWords(before: readonly string[], verbs: readonly Verb[]): string[] {
  const visible = verbs.filter((verb) => !verb.hidden).map((verb) => verb.name.split(" "));
  const next = visible.filter((parts) => before.every((word, at) => parts[at] === word));
  return next.flatMap((parts) => parts[before.length] ?? []);
}

function ownFlags(verb: Verb): Record<string, Completes | undefined> {
  return Object.fromEntries(
    Object.entries(verb.options ?? {}).map(([key, option]) => [
      `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      option.takes === "nothing" ? undefined : (option.completes ?? []),
    ]),
  );
}

function longOf(flag: string, verb: Verb): string {
  const own = Object.entries(verb.options ?? {}).find(([, option]) => `-${option.short}` === flag);
  return own === undefined ? (shortFlags[flag] ?? flag) : `--${own[0]}`;
}

/** The words that are arguments: neither flags nor what a flag takes. */
function argumentsOf(
  words: readonly string[],
  verb: Verb,
  flags: Readonly<Record<string, Completes | undefined>>,
): string[] {
  return words.filter(
    (word, at) => !word.startsWith("-") && flags[longOf(words[at - 1] ?? "", verb)] === undefined,
  );
}

async function expand(
  what: Completes,
  current: string,
  given: readonly string[],
  known: Words,
): Promise<readonly string[]> {
  if (typeof what !== "string") return what;
  if (what === "kind") return known.kinds();
  if (what === "context") return known.contexts();
  if (what === "scope") return known.scopes(beforeLastSlash(current));
  if (what === "name")
    return given[0] === undefined || given[0].includes("/") ? [] : namesOf(given[0], current, "", known);
  if (what === "target") return targets(current, known);
  return []; // files: the shell knows them best
}

/** `sa/` leads to names, `sa/acme/shop/` to the names of that scope; before the slash it is a kind. */
async function targets(current: string, known: Words): Promise<readonly string[]> {
  const at = current.indexOf("/");
  if (at < 0) return known.kinds();
  return namesOf(current.slice(0, at), current.slice(at + 1), `${current.slice(0, at)}/`, known);
}

async function namesOf(kind: string, path: string, prefix: string, known: Words): Promise<string[]> {
  const scope = beforeLastSlash(path);
  const names = await known.names(kind, scope === "" ? undefined : scope);
  return names.map((name) => `${prefix}${scope === "" ? "" : `${scope}/`}${name}`);
}

function beforeLastSlash(text: string): string {
  return text.slice(0, Math.max(0, text.lastIndexOf("/")));
}

function matching(all: readonly string[], current: string): string[] {
  return [...new Set(all)].filter((one) => one.startsWith(current)).sort();
}
