import { Tabs } from "@mantine/core";
import type { FunctionComponent } from "react";
import { usePath, useQuery } from "../address.ts";
import { useGo } from "../link.tsx";
import { withQuery } from "../paths.ts";

export interface PageTab<Shown> {
  readonly name: string;
  readonly label: string;
  readonly View: FunctionComponent<Shown>;
  /** How many things it has to show; nothing is said of none. */
  readonly count?: (shown: Shown) => number;
}

interface Props<Shown> {
  /** The first is the one that the page opens with. */
  readonly tabs: readonly [PageTab<Shown>, ...PageTab<Shown>[]];
  /** What all of them are about. */
  readonly of: Shown;
}

/** The tabs of a page. Which is open is in the address; what another one had there means nothing to it. */
export function PageTabs<Shown extends object>({ tabs, of }: Props<Shown>) {
  const [query] = useQuery();
  const path = usePath();
  const go = useGo();
  const [first] = tabs;
  const { name, View } = tabs.find((one) => one.name === query.tab) ?? first;
  return (
    <Tabs
      value={name}
      onChange={(next) => go(withQuery(path, { tab: next === first.name ? undefined : (next ?? undefined) }))}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.name} value={tab.name}>
            {tab.label}
            {tab.count?.(of) ? ` (${tab.count(of)})` : ""}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={name}>
        <View {...of} />
      </Tabs.Panel>
    </Tabs>
  );
}
