import { type CommandContext, type PaletteCommand, paths, readPath } from "@reeve/kit";
import { IconPencil, IconPlayerPlay, IconPlus } from "@tabler/icons-react";

/** The kind itself would bring all its rules into the first load. */
const kind = { name: "Workflow", plural: "workflows" };

/** What the palette offers of workflows: a new one everywhere, and more where one is shown. */
export function workflowCommands({ scope, path, go }: CommandContext): PaletteCommand[] {
  const create: PaletteCommand = {
    name: "new-workflow",
    label: "New workflow",
    icon: <IconPlus size={16} />,
    keywords: ["create", "write"],
    run: () => go(paths.create(kind, scope)),
  };
  const [plural, name] = readPath(path).rest;
  if (plural !== kind.plural || name === undefined) return [create];
  const run = scope === "" ? name : `${scope}/${name}`;
  return [
    {
      name: "run-workflow",
      label: `Run ${name}`,
      icon: <IconPlayerPlay size={16} />,
      keywords: ["trigger", "begin", "start"],
      run: () => go(paths.resource(kind, scope, name, { run })),
    },
    {
      name: "edit-workflow",
      label: `Edit ${name}`,
      icon: <IconPencil size={16} />,
      keywords: ["change", "write"],
      run: () => go(paths.edit(kind, scope, name)),
    },
    create,
  ];
}
