import type { Command, Help, HelpConfiguration } from "commander";

/** Help with the verbs first: whoever asks what the program can do does not mean its flags. */
export const helpStyle: HelpConfiguration = {
  showGlobalOptions: true,
  subcommandTerm: (command) =>
    [command.name(), command.usage().replace(/ ?\[options\]$/, "")].filter(Boolean).join(" "),
  optionTerm: (option) => option.flags.replaceAll(/[<>]/g, ""),
  optionDescription: (option) => option.description,
  formatHelp,
};

function formatHelp(command: Command, help: Help): string {
  const width = help.padWidth(command, help);
  const item = (term: string, description: string) => help.formatItem(term, width, description, help);
  const commands = Map.groupBy(help.visibleCommands(command), (one) => one.helpGroup() || "Verbs:");
  const sections = [...commands].map(([title, all]) => [
    title,
    ...all.map((one) => item(help.subcommandTerm(one), help.subcommandDescription(one))),
  ]);
  const options = (title: string, all: ReturnType<Help["visibleOptions"]>) =>
    all.length === 0
      ? []
      : [[title, ...all.map((one) => item(help.optionTerm(one), help.optionDescription(one)))]];
  const parts = [
    [`Usage: ${help.commandUsage(command)}`],
    [command.description()],
    ...sections,
    ...options(
      command.parent === null ? "Options, for every verb:" : "Options:",
      help.visibleOptions(command),
    ),
    ...options(
      "Options of every verb:",
      help.visibleGlobalOptions(command).filter((one) => one.long !== "--version"),
    ),
  ];
  return `${parts.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}
