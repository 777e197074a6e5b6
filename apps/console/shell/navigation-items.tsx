import { type NavigationItem, scopedPath, useKinds } from "@reeve/kit";
import { levels, type Scope, scopeParts } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconLayoutDashboard } from "@tabler/icons-react";
import { webAreas } from "../areas.ts";

/** Where one can go, in the order of the navigation. */
export const navigationItems: readonly NavigationItem[] = [
  { group: "", label: "Overview", icon: <IconLayoutDashboard size={16} />, to: "/" },
  ...webAreas.flatMap((area) => area.navigation),
];

/** The kinds that no area has put there. */
export function useOtherKinds(): readonly KindInfo[] {
  return useKinds().filter(({ plural }) => !navigationItems.some(({ to }) => to.endsWith(`/${plural}`)));
}

/** The list of a kind at a scope, or at the deepest one above it where the kind can live. */
export function kindListPath({ plural, levels: own }: KindInfo, scope: Scope): string {
  const deepest = Math.max(...own.map((level) => levels.indexOf(level)));
  return scopedPath(`{scope}/${plural}`, scopeParts(scope).slice(0, deepest).join("/"));
}
