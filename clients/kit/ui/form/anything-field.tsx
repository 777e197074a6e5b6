import { Textarea } from "@mantine/core";
import type { Json } from "@reeve/model";
import { readDraft, toYaml } from "@reeve/model/yaml";
import { useState } from "react";
import type { FieldProps } from "./field-view.tsx";
import { useFieldError } from "./form-context.ts";
import { labelProps } from "./label.tsx";
import { rowsFor } from "./text-field.tsx";

/** A value that no form fits, as YAML. */
export function AnythingField(props: FieldProps) {
  const { pointer, value, onChange, required } = props;
  const [text, setText] = useState(() => (value === undefined ? "" : toYaml(value).trimEnd()));
  const [trouble, setTrouble] = useState<string>();
  const error = useFieldError(pointer);
  const change = (next: string) => {
    setText(next);
    const { value: read, troubles } = readDraft(next);
    setTrouble(troubles[0]?.message);
    if (troubles.length === 0) onChange(next.trim() === "" && !required ? undefined : (read as Json));
  };
  return (
    <Textarea
      {...labelProps(props)}
      error={trouble ?? error}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      placeholder="YAML"
      rows={rowsFor(text, 1)}
      classNames={{ input: "mono" }}
      spellCheck={false}
    />
  );
}
