import type { WritingAid } from "@reeve/kit";
import type { JsonObject } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { lazy, type ReactNode, Suspense, useMemo } from "react";
import { webAreas } from "../areas.ts";
import { Loading } from "../shell/fallbacks.tsx";

interface Aided {
  /** For the editor's own `beside`; nothing where no area has an aid for the kind. */
  readonly beside?: (value: JsonObject | undefined) => ReactNode;
  readonly first?: WritingAid["first"];
}

/** What an area has to help with the writing of a kind. */
export function useWritingAid({ name }: KindInfo): Aided {
  return useMemo(() => {
    const aid = webAreas.flatMap((area) => area.writing ?? []).find(({ kind }) => kind === name);
    if (aid === undefined) return {};
    const Beside = lazy(aid.load);
    const beside = (value: JsonObject | undefined) => (
      <Suspense fallback={<Loading />}>
        <Beside value={value} />
      </Suspense>
    );
    return { beside, first: aid.first };
  }, [name]);
}

/** Form or YAML, as the address says. Where something stands beside the text, the text comes first. */
export function wayOf({ as }: Readonly<Record<string, string>>, textFirst: boolean): "form" | "yaml" {
  return as === "form" || as === "yaml" ? as : textFirst ? "yaml" : "form";
}
