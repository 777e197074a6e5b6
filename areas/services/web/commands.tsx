import { type CommandContext, type PaletteCommand, paths, readPath } from "@reeve/kit";
import { IconRocket, IconTemplate } from "@tabler/icons-react";
import { templatesAt } from "./templates/address.ts";

/** The kind itself would bring all its rules into the first load. */
const kind = { name: "Service", plural: "services" };

/** What the palette offers of services beside what it offers of every kind. */
export function serviceCommands({ scope, path, go }: CommandContext): PaletteCommand[] {
  const fromTemplate: PaletteCommand = {
    name: "new-service-from-template",
    label: "New service from a template",
    icon: <IconTemplate size={16} />,
    keywords: ["create", "postgres", "compose"],
    run: () => go(templatesAt(scope)),
  };
  const [plural, name] = readPath(path).rest;
  if (plural !== kind.plural || name === undefined) return [fromTemplate];
  return [
    {
      name: "deploys-of-service",
      label: `Deploys of ${name}`,
      icon: <IconRocket size={16} />,
      keywords: ["runs", "history"],
      run: () => go(paths.resource(kind, scope, name, { tab: "deploys" })),
    },
    fromTemplate,
  ];
}
