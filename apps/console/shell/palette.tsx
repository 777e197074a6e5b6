import "@mantine/spotlight/styles.css";
import {
  createSpotlight,
  Spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
} from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { usePaletteCommands } from "./palette-commands.tsx";
import { useFoundResources } from "./palette-resources.tsx";

const shownMost = 30;
const [store, spotlight] = createSpotlight();

/** Everything by its name: pages, what can be done here, scopes, and every resource that one may see. */
export function Palette({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  const [text, setText] = useState("");
  const commands = usePaletteCommands();
  const resources = useFoundResources(opened, text);
  const groups = useMemo(
    () => [...commands.map((group) => ({ ...group, actions: fitting(group.actions, text) })), resources],
    [commands, resources, text],
  );
  useEffect(() => {
    if (opened) spotlight.open();
  }, [opened]);
  return (
    <Spotlight
      store={store}
      onSpotlightClose={() => {
        setText("");
        onClose();
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
    />
  );
}

function fitting(actions: readonly SpotlightActionData[], text: string): SpotlightActionData[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ label, keywords }: SpotlightActionData) => {
    const all = [label, keywords].flat().join(" ").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return actions.filter(fits).slice(0, shownMost);
}
