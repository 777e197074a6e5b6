import { Text } from "@mantine/core";
import type { Scope } from "@reeve/model";
import { PageLink } from "../link.tsx";
import { useKind } from "../me.ts";
import { paths } from "../paths.ts";

interface At {
  readonly kind: string;
  readonly scope: Scope;
  readonly name: string;
}

/** A resource by its kind and name, and the way to its page. */
export function AddressLink({ at }: { readonly at: At }) {
  const kind = useKind(at.kind);
  const path = at.scope === "" ? at.name : `${at.scope}/${at.name}`;
  return (
    <>
      <Text span inherit c="dimmed">
        {at.kind}{" "}
      </Text>
      {kind === undefined ? (
        <span className="mono">{path}</span>
      ) : (
        <PageLink className="mono" to={paths.resource(kind, at.scope, at.name)}>
          {path}
        </PageLink>
      )}
    </>
  );
}
