import { useMantineColorScheme } from "@mantine/core";
import type { SpotlightActionGroupData } from "@mantine/spotlight";
import { scopedPath, useGo, useKinds, usePath, useScope, withQuery } from "@reeve/kit";
import { IconMoon, IconPlus, IconSitemap, IconSun, IconTable } from "@tabler/icons-react";
import { webAreas } from "../areas.ts";
import { spoken } from "../kinds/words.ts";
import { kindCreatePath, kindListPath, navigationItems, useOtherKinds } from "./navigation-items.tsx";
import { useScopes } from "./scopes.ts";

/** Where one can go, and what can be made there. */
export function usePaletteCommands(): SpotlightActionGroupData[] {
  const go = useGo();
  const scope = useScope();
  const scopes = useScopes();
  const kinds = useKinds();
  const others = useOtherKinds();
  const path = usePath();
  const { setColorScheme } = useMantineColorScheme();
  const ofAreas = webAreas.flatMap((area) => area.commands?.({ scope, path, go }) ?? []);
  return [
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
        ...others.map((kind) => ({
          id: `kind ${kind.name}`,
          label: kind.name,
          description: kind.summary,
          leftSection: <IconTable size={16} />,
          onClick: () => go(kindListPath(kind, scope)),
        })),
      ],
    },
    {
      group: "New",
      actions: kinds.map((kind) => ({
        id: `new ${kind.name}`,
        label: `New ${spoken(kind)}`,
        description: kind.summary,
        leftSection: <IconPlus size={16} />,
        keywords: ["create a", "make", "write"],
        onClick: () => go(kindCreatePath(kind, scope)),
      })),
    },
    {
      group: "More",
      actions: ofAreas.map(({ name, label, description, icon, keywords, run }) => ({
        id: `area ${name}`,
        label,
        ...(description !== undefined && { description }),
        ...(icon !== undefined && { leftSection: icon }),
        ...(keywords && { keywords: [...keywords] }),
        onClick: run,
      })),
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
