import { Autocomplete } from "@mantine/core";
import { childScope } from "@reeve/model";
import { useState } from "react";
import { client } from "../../client.ts";
import { useKinds } from "../../me.ts";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { labelProps } from "./label.tsx";

/** A scope, of those that one may see. */
export function ScopeField(props: FieldProps) {
  const { pointer, value, onChange, required } = props;
  const kinds = useKinds();
  const [scopes, setScopes] = useState<readonly string[]>();
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
  return (
    <Autocomplete
      {...labelProps(props)}
      error={useFieldError(pointer, value)}
      value={typeof value === "string" ? value : ""}
      onChange={(next) => onChange(next === "" && !required ? undefined : next)}
      onFocus={ask}
      data={scopes ?? []}
      placeholder="organization/project"
      classNames={{ input: "mono" }}
      spellCheck={false}
      maw={420}
    />
  );
}
