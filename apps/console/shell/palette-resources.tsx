import type { SpotlightActionData, SpotlightActionGroupData } from "@mantine/spotlight";
import { client, paths, useGo, useKinds } from "@reeve/kit";
import { type Resource, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconFileDescription, IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useState } from "react";

interface Known {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

const perKind = 1000;
const shownMost = 30;
const freshMs = 30_000;
let known: readonly Known[] = [];
let readAt = 0;

/** The resources whose name or scope holds the text; a run by its id. */
export function useFoundResources(text: string): SpotlightActionGroupData {
  const go = useGo();
  const kinds = useKinds();
  const [all, setAll] = useState(known);
  const wanted = text.trim() !== "";
  useEffect(() => {
    if (!wanted || Date.now() - readAt < freshMs) return;
    readAt = Date.now();
    void readAll(kinds).then((found) => {
      known = found;
      setAll(found);
    });
  }, [wanted, kinds]);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = wanted ? all.filter((one) => fits(one, words)) : [];
  return {
    group: "Resources",
    actions: [...runWith(text.trim(), go), ...found.slice(0, shownMost).map((one) => actionOf(one, go))],
  };
}

/** The first thousand of each kind: who has more finds them on the kind's own page. What may not be seen is left out. */
async function readAll(kinds: readonly KindInfo[]): Promise<Known[]> {
  const lists = kinds.map(async (kind) => {
    const { items } = await client.kind(kind).page("", { deep: true, limit: perKind });
    return items.map((resource) => ({ kind, resource }));
  });
  const settled = await Promise.allSettled(lists);
  return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
}

function fits({ kind, resource: { metadata } }: Known, words: readonly string[]): boolean {
  const all = `${kind.name} ${metadata.scope} ${metadata.name}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

function actionOf({ kind, resource }: Known, go: (to: string) => void): SpotlightActionData {
  const { scope, name } = resource.metadata;
  return {
    id: `${kind.name} ${scope} ${name}`,
    label: name,
    description: `${kind.name} in ${showScope(scope)}`,
    leftSection: <IconFileDescription size={16} />,
    onClick: () => go(paths.resource(kind, scope, name)),
  };
}

function runWith(text: string, go: (to: string) => void): SpotlightActionData[] {
  if (!/^[0-9a-f][0-9a-f-]{7,35}$/i.test(text)) return [];
  const icon = <IconPlayerPlay size={16} />;
  return [{ id: "run", label: `Run ${text}`, leftSection: icon, onClick: () => go(paths.run(text)) }];
}
