import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionGroupData } from "@mantine/spotlight";
import { scopedPath, useGo, usePath, useScope, withQuery } from "@reeve/kit";
import { IconMoon, IconSitemap, IconSun, IconTable } from "@tabler/icons-react";
import { webAreas } from "../areas.ts";
import { kindListPath, navigationItems, useOtherKinds } from "./navigation-items.tsx";
import { useScopes } from "./scopes.ts";

/** What one can do from here, and where one can go. */
export function usePaletteCommands(): SpotlightActionGroupData[] {
  const go = useGo();
  const scope = useScope();
  const path = usePath();
  const scopes = useScopes();
  const kinds = useOtherKinds();
  const { setColorScheme } = useMantineColorScheme();
  const here = webAreas.flatMap((area) => area.commands?.({ scope, path, go }) ?? []);
  return [
    {
      group: "Here",
      actions: here.map(({ name, icon, keywords, run, ...rest }) => ({
        ...rest,
        id: `here ${name}`,
        ...(icon !== undefined && { leftSection: icon }),
        ...(keywords && { keywords: [...keywords] }),
        onClick: run,
      })),
    },
    {
      group: "Pages",
      actions: [
        ...navigationItems.map(({ label, icon, to, group }) => ({
          id: `page ${to}`,
          label,
          description: group,
          leftSection: icon,
          onClick: () => go(scopedPath(to, scope)),
        })),
        ...kinds.map((kind) => ({
          id: `kind ${kind.name}`,
          label: kind.name,
          description: kind.summary,
          leftSection: <IconTable size={16} />,
          onClick: () => go(kindListPath(kind, scope)),
        })),
      ],
    },
    {
      group: "Scopes",
      actions: scopes.map((one) => ({
        id: `scope ${one}`,
        label: one,
        leftSection: <IconSitemap size={16} />,
        onClick: () => go(withQuery("/", { scope: one })),
      })),
    },
    {
      group: "Look",
      actions: [
        {
          id: "light",
          label: "Light",
          leftSection: <IconSun size={16} />,
          onClick: () => setColorScheme("light"),
        },
        {
          id: "dark",
          label: "Dark",
          leftSection: <IconMoon size={16} />,
          onClick: () => setColorScheme("dark"),
        },
      ],
    },
  ];
}
