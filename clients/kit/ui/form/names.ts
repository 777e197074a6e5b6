import { type Level, levelOf, parentScope, type Scope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { client } from "../../client.ts";
import { useKinds } from "../../me.ts";

/** Enough to choose from; whoever has more types a name. */
const most = 200;

/** The names of a kind's resources in a scope and above it, asked for when somebody looks. */
export function useNames(kind: string | undefined, scope: Scope): [readonly string[], () => void] {
  const info = useKinds().find((one) => one.name === kind);
  const [known, setKnown] = useState<{ of: string; names: readonly string[] }>({ of: "", names: [] });
  const of = `${kind} ${scope}`;
  const ask = async () => {
    if (info === undefined || known.of === of) return;
    setKnown({ of, names: [] });
    setKnown({ of, names: await namesAround(info, scope) });
  };
  return [known.of === of ? known.names : [], ask];
}

export async function namesAround(kind: KindInfo, scope: Scope): Promise<string[]> {
  const scopes = upwards(scope).filter((one) => kind.levels.includes(levelOf(one) as Level));
  const pages = await Promise.all(
    // Whoever may not read them types the name.
    scopes.map((one) =>
      client
        .kind(kind)
        .page(one, { limit: most })
        .then(
          (page) => page.items,
          () => [],
        ),
    ),
  );
  return [...new Set(pages.flat().map((one) => one.metadata.name))];
}

function upwards(scope: Scope): Scope[] {
  return scope === "" ? [""] : [scope, ...upwards(parentScope(scope))];
}
