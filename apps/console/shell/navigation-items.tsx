import { type NavigationItem, paths, useKinds } from "@reeve/kit";
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
export function kindListPath(kind: KindInfo, scope: Scope): string {
  return paths.list(kind, scopeFor(kind, scope));
}

/** Where one is made: there, too. */
export function kindCreatePath(kind: KindInfo, scope: Scope): string {
  return paths.create(kind, scopeFor(kind, scope));
}

function scopeFor({ levels: own }: KindInfo, scope: Scope): Scope {
  const deepest = Math.max(...own.map((level) => levels.indexOf(level)));
  return scopeParts(scope).slice(0, deepest).join("/");
}
