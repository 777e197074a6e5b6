import { NavLink, Tooltip } from "@mantine/core";
import { type NavigationItem, PageLink, scopedPath, sentence, useCan, usePath, useScope } from "@reeve/kit";
import { IconTable } from "@tabler/icons-react";
import { kindListPath, navigationItems, useOtherKinds } from "./navigation-items.tsx";
import classes from "./shell.module.css";

/** Where one can go, by group, at the scope that is chosen. */
export function Navigation() {
  const scope = useScope();
  const groups = [...new Set(navigationItems.map(({ group }) => group))];
  return (
    <nav aria-label="Pages">
      {groups.map((group) => (
        <div key={group}>
          {group && <div className={classes.group}>{group}</div>}
          {navigationItems
            .filter((item) => item.group === group)
            .map((item) =>
              item.needs === undefined ? (
                <Item key={item.to} {...item} to={scopedPath(item.to, scope)} />
              ) : (
                <GuardedItem key={item.to} {...item} to={scopedPath(item.to, scope)} needs={item.needs} />
              ),
            )}
        </div>
      ))}
      <OtherKinds />
    </nav>
  );
}

function OtherKinds() {
  const kinds = useOtherKinds();
  const scope = useScope();
  return (
    <NavLink
      label="More kinds"
      leftSection={<IconTable size={16} />}
      className={classes.item}
      mt="xs"
      component="button"
    >
      {kinds.map((kind) => (
        <Item key={kind.name} label={kind.name} icon={null} to={kindListPath(kind, scope)} />
      ))}
    </NavLink>
  );
}

function GuardedItem(item: NavigationItem & Required<Pick<NavigationItem, "needs">>) {
  const { reason } = useCan({ ...item.needs, scope: useScope() });
  return <Item {...item} why={reason} />;
}

type ItemProps = Pick<NavigationItem, "label" | "icon" | "to"> & { readonly why?: string | undefined };

function Item({ label, icon, to, why }: ItemProps) {
  const path = usePath();
  const at = to.split("?")[0] ?? "";
  const active = at === "/" ? path === "/" : path === at || path.startsWith(`${at}/`);
  const link = (
    <NavLink
      component={PageLink}
      to={to}
      label={label}
      leftSection={icon}
      active={active}
      aria-current={active ? "page" : undefined}
      aria-disabled={why !== undefined || undefined}
      data-disabled={why !== undefined || undefined}
      className={classes.item}
    />
  );
  return why === undefined ? link : <Tooltip label={sentence(why)}>{link}</Tooltip>;
}
