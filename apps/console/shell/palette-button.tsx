import { ActionIcon, Tooltip } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";

const Palette = lazy(() => import("./palette.tsx").then(({ Palette }) => ({ default: Palette })));

/** Opens the palette, which is loaded when it is first wanted. */
export function PaletteButton() {
  const [asked, setAsked] = useState(0);
  const show = () => setAsked((times) => times + 1);
  useHotkeys([["mod+K", show]], []);
  return (
    <>
      <Tooltip label="Find anything (Ctrl K)">
        <ActionIcon variant="subtle" color="gray" size="lg" onClick={show} aria-label="Find anything">
          <IconSearch size={18} />
        </ActionIcon>
      </Tooltip>
      {asked > 0 && (
        <Suspense>
          <Palette asked={asked} />
        </Suspense>
      )}
    </>
  );
}
