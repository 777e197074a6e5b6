import { parseScope } from "@reeve/model";
import {
  type AnyVerb,
  type Argument,
  type GlobalFlags,
  type Option,
  type OptionValues,
  outputs,
} from "@reeve/sdk/cli";
import { Command, Option as CommanderOption } from "commander";
import { forbidColour } from "./config.ts";
import type { CliDesk } from "./desk.ts";
import { helpStyle } from "./help.ts";
import { version } from "./version.ts";

const groups = {
  read: "Reading:",
  change: "Changing:",
  access: "Access and contexts:",
  server: "The server and this program:",
} as const satisfies Record<AnyVerb["group"], string>;

/** Carries a verb out and tells the exit code. */
export type Perform = (
  verb: AnyVerb<CliDesk>,
  flags: GlobalFlags,
  input: Parameters<AnyVerb["run"]>[1],
) => Promise<void>;

/** The verbs as a command-line parser with help; knows nothing of what they do. */
export function buildProgram(verbs: readonly AnyVerb<CliDesk>[], perform: Perform): Command {
  const program = new Command("reeve")
    .description("The command line of Reeve, a control plane you host yourself.")
    .version(`reeve ${version}`, "-V, --version", "Show the version of this program")
    .usage("VERB [options]")
    .helpOption("-h, --help", "Show help; reeve VERB --help for one verb")
    .helpCommand(false)
    .configureHelp(helpStyle);
  for (const option of globalOptions()) program.addOption(option);
  const parents = new Map<string, Command>();
  for (const verb of verbs) {
    const [head = "", tail] = verb.name.split(" ");
    const parent = tail === undefined ? program : parentOf(program, parents, head, verbs);
    addVerb(parent, tail ?? head, verb, program, perform);
  }
  return program;
}

function globalOptions(): CommanderOption[] {
  return [
    new CommanderOption("-o, --output <FORMAT>", "table, wide, json, yaml or name").choices(outputs),
    new CommanderOption("-l, --labels <SELECTOR>", "Only with these labels: tier=web,env!=dev,canary,!old"),
    new CommanderOption("--fields <SELECTOR>", "Only with these fields: spec.role=owner"),
    new CommanderOption("-s, --scope <SCOPE>", "Where: ORGANIZATION[/PROJECT[/WORKSPACE]]").argParser(
      parseScope,
    ),
    new CommanderOption("-A, --deep", "Also in the scopes below"),
    new CommanderOption("--context <NAME>", "Another context than the current one"),
    new CommanderOption("--no-color", "No colours"),
    new CommanderOption("-q, --quiet", "Only data and errors"),
  ];
}

/** `token` has no work of its own: it is the family of `token create`, `token list`, … */
function parentOf(
  program: Command,
  parents: Map<string, Command>,
  name: string,
  verbs: readonly AnyVerb<CliDesk>[],
): Command {
  const known = parents.get(name);
  if (known !== undefined) return known;
  const family = verbs.filter((verb) => verb.name.startsWith(`${name} `));
  const parent = program
    .command(name)
    .description(family.map((verb) => verb.name.slice(name.length + 1)).join(", "))
    .usage("VERB [options]")
    .helpCommand(false)
    .helpGroup(groups[family[0]?.group ?? "read"]);
  parents.set(name, parent);
  return parent;
}

function addVerb(
  parent: Command,
  name: string,
  verb: AnyVerb<CliDesk>,
  program: Command,
  perform: Perform,
): void {
  const command = parent
    .command(name, { hidden: verb.hidden ?? false, isDefault: verb.standard ?? false })
    .description(verb.summary)
    .helpGroup(groups[verb.group])
    .addHelpText("after", `\nExample:\n${verb.example.replace(/^/gm, "  ")}\n`);
  const args = verb.args ?? [];
  command.usage([...args.filter((one) => !one.tacit).map(shownArgument), "[options]"].join(" "));
  for (const { name, optional, many } of args) {
    const word = `${name}${many ? "..." : ""}`;
    command.argument(optional ? `[${word}]` : `<${word}>`);
  }
  const options = Object.entries(verb.options ?? {});
  for (const [key, option] of options) command.addOption(toCommander(key, option));
  command.action(async (...given: unknown[]) => {
    const args = given
      .slice(0, -2)
      .flat()
      .filter((arg) => typeof arg === "string");
    await perform(verb, globalFlags(program), { args, options: valuesOf(options, command) });
  });
}

function shownArgument({ name, optional, many }: Argument): string {
  const word = `${name}${many ? "..." : ""}`;
  return optional ? `[${word}]` : word;
}

function toCommander(key: string, option: Option): CommanderOption {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const long = `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (option.takes === "nothing") return new CommanderOption(short + long, option.summary);
  const made = new CommanderOption(`${short}${long} <${option.value}>`, option.summary);
  if (option.takes === "text") return made;
  return made.argParser((value: string, all: string[] = []) => [...all, value]);
}

function valuesOf(
  options: readonly (readonly [string, Option])[],
  command: Command,
): OptionValues<Record<string, Option>> {
  const parsed = command.opts<Record<string, unknown>>();
  const values = options.map(([key, { takes }]) => {
    // Commander reads `--no-wait` as the opposite of `--wait`.
    if (/^no[A-Z]/.test(key)) return [key, parsed[key.charAt(2).toLowerCase() + key.slice(3)] === false];
    if (takes === "nothing") return [key, parsed[key] === true];
    return [key, parsed[key] ?? (takes === "texts" ? [] : undefined)];
  });
  return Object.fromEntries(values);
}

function globalFlags(program: Command): GlobalFlags {
  const { color, deep, quiet, ...rest } = program.opts();
  if (color === false) forbidColour();
  return { ...rest, deep: deep === true, quiet: quiet === true };
}
