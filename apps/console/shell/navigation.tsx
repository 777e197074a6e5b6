import { NavLink } from "@mantine/core";
import { type NavigationItem, PageLink, scopedPath, usePath, useScope } from "@reeve/kit";
import { IconLayoutDashboard } from "@tabler/icons-react";
import { webAreas } from "../areas.ts";
import classes from "./shell.module.css";

const own: readonly NavigationItem[] = [
  { group: "", label: "Overview", icon: <IconLayoutDashboard size={16} />, to: "/" },
];

/** Where one can go, by group, at the scope that is chosen. */
export function Navigation() {
  const items = [...own, ...webAreas.flatMap((area) => area.navigation)];
  const groups = [...new Set(items.map(({ group }) => group))];
  return (
    <nav aria-label="Pages">
      {groups.map((group) => (
        <div key={group}>
          {group && <div className={classes.group}>{group}</div>}
          {items
            .filter((item) => item.group === group)
            .map((item) => (
              <Item key={item.to} {...item} />
            ))}
        </div>
      ))}
    </nav>
  );
}

function Item({ label, icon, to }: NavigationItem) {
  const path = usePath();
  const scope = useScope();
  const address = scopedPath(to, scope);
  const at = address.split("?")[0] ?? "";
  const active = at === "/" ? path === "/" : path === at || path.startsWith(`${at}/`);
  return (
    <NavLink
      component={PageLink}
      to={address}
      label={label}
      leftSection={icon}
      active={active}
      aria-current={active ? "page" : undefined}
      className={classes.item}
    />
  );
}
