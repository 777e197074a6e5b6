import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import { hasWords, type Offer, sentence, useOffers } from "@reeve/kit";
import { IconBolt } from "@tabler/icons-react";

/**
 * What the buttons of the open page do, in their words and disabled for their reasons. `later` does it when the palette has gone:
 * what asks something first must not fight with it for the focus.
 */
export function usePaletteHere(text: string, later: (act: () => void) => void): SpotlightActionGroupData {
  const offers = useOffers().filter((one) => fits(one, text));
  return { group: "Here", actions: onceEach(offers).map((one) => offered(one, later)) };
}

/** The name alone finds nothing: whoever types it looks for the thing, and Enter must not do something to it. */
function fits({ label, of, summary = "" }: Offer, text: string): boolean {
  const isNamed = (word: string) => hasWords([label, summary], word);
  return hasWords([label, of, summary], text) && text.trim().split(/\s+/).some(isNamed);
}

/** A page may have two buttons for one thing: the one that does it comes before the one that leads to it. */
function onceEach(offers: readonly Offer[]): Offer[] {
  const inOrder = [...offers].sort((a, b) => Number("summary" in a) - Number("summary" in b));
  return [...Map.groupBy(inOrder, idOf).values()].flatMap(([first]) => first ?? []);
}

function idOf({ label, of }: Offer): string {
  return `here ${label} ${of}`;
}

function offered(offer: Offer, later: (act: () => void) => void): SpotlightActionData {
  const { label, of, icon, summary, why, act } = offer;
  return {
    id: idOf(offer),
    label,
    leftSection: icon ?? <IconBolt size={14} />,
    ...(why === undefined
      ? { description: summary ? `${of}: ${summary}` : of, onClick: () => later(act) }
      : { description: `${of}: ${sentence(why)}`, ...disabled }),
  };
}

/** It is found and says why, and stays where it is when it is chosen. */
const disabled = { "aria-disabled": true, closeSpotlightOnTrigger: false } as const;
