import "@mantine/spotlight/styles.css";
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { hasWords } from "@reeve/kit";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useRef, useState } from "react";
import classes from "./palette.module.css";
import { usePaletteCommands } from "./palette-commands.tsx";
import { usePaletteHere } from "./palette-here.tsx";
import { useFoundResources } from "./palette-resources.tsx";

const shownMost = 30;
const [store, spotlight] = createSpotlight();

/**
 * Everything by its name: pages, what can be done here, scopes, and every resource that one may see. It opens each time that it is
 * asked for, also while it is still closing.
 */
export function Palette({ asked }: { readonly asked: number }) {
  const [text, setText] = useState("");
  const chosen = useRef<() => void>(undefined);
  const here = usePaletteHere(text, (act) => {
    chosen.current = act;
  });
  const commands = usePaletteCommands();
  const resources = useFoundResources(text);
  const groups = useMemo(
    () => [
      here,
      ...commands.map((group) => ({ ...group, actions: fitting(group.actions, text) })),
      resources,
    ],
    [here, commands, resources, text],
  );
  useEffect(() => {
    if (asked === 0) return;
    chosen.current = undefined;
    spotlight.open();
  }, [asked]);
  const first = groups.find(({ actions }) => actions.length > 0)?.actions[0]?.id;
  // So that Enter takes what fits best, also when it was found after the last key.
  useEffect(() => {
    if (text !== "" && first !== undefined) selectFirst();
  }, [text, first]);
  return (
    <Spotlight
      store={store}
      onSpotlightClose={() => setText("")}
      onExitTransitionEnd={() => {
        chosen.current?.();
        chosen.current = undefined;
      }}
      query={text}
      onQueryChange={setText}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      // What fits is chosen above; here is nothing left to leave out.
      filter={(_, all) => all as SpotlightActionGroupData[]}
      shortcut={null}
      overlayProps={{ backgroundOpacity: 0.45, blur: 0 }}
      nothingFound="Nothing is called that."
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "Find a page, an action or a resource",
        "aria-label": "Find a page, an action or a resource",
      }}
      scrollable
      maxHeight={420}
      highlightQuery
      classNames={{ action: classes.action }}
      attributes={{ content: { "aria-label": "Find anything" } }}
    />
  );
}

/** As the arrow keys do it: the library keeps the choice in its list, and how many keys down it is. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId);
  list?.querySelector("[data-selected]")?.removeAttribute("data-selected");
  list?.querySelector("[data-action]")?.setAttribute("data-selected", "true");
  store.updateState((state) => ({ ...state, selected: 0 }));
}

/** What is called exactly that comes first: "new service" is no new service account. */
function fitting(actions: readonly SpotlightActionData[], text: string): SpotlightActionData[] {
  const isIt = ({ label = "" }: SpotlightActionData) =>
    Number(label.toLowerCase() === text.trim().toLowerCase());
  return actions
    .filter(({ label = "", keywords = [] }) => hasWords([label, keywords].flat(), text))
    .sort((a, b) => isIt(b) - isIt(a))
    .slice(0, shownMost);
}
