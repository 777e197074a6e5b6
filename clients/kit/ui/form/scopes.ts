import { childScope, type Scope } from "@reeve/model";
import { useState } from "react";
import { client } from "../../client.ts";
import { useKinds } from "../../me.ts";

/** The scopes that one may see, asked for when somebody looks. */
export function useScopes(): [readonly Scope[], () => void] {
  const kinds = useKinds();
  const [scopes, setScopes] = useState<readonly Scope[]>();
  const ask = async () => {
    if (scopes !== undefined) return;
    setScopes([]);
    const opening = kinds.filter((kind) => kind.opensScope);
    const pages = await Promise.all(
      opening.map((kind) =>
        client
          .kind(kind)
          .page("", { deep: true, limit: 500 })
          .then(
            (page) => page.items,
            () => [],
          ),
      ),
    );
    setScopes(
      pages
        .flat()
        .map(({ metadata }) => childScope(metadata.scope, metadata.name))
        .sort(),
    );
  };
  return [scopes ?? [], ask];
}
