import { Button, Group, TextInput } from "@mantine/core";
import { escapePointer, type JsonObject } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { SchemaAt } from "../schema/schema.ts";
import { shapeOf } from "../schema/shape.ts";
import { type FieldProps, FieldView } from "./field-view.tsx";
import { FieldFrame, RemoveButton } from "./frame.tsx";
import { freshValue, withField, withKey } from "./value.ts";

type Props = Omit<FieldProps, "value"> & { readonly value: JsonObject; readonly entry: SchemaAt };

/** Fields with names of one's own choice. */
export function MapField(props: Props) {
  const { pointer, value, onChange, required, entry } = props;
  const set = (next: JsonObject) => onChange(Object.keys(next).length === 0 && !required ? undefined : next);
  const small = ["text", "number", "toggle", "choice"].includes(shapeOf(entry).shape);
  return (
    <FieldFrame {...props}>
      {Object.entries(value).map(([key, one], index) => (
        // The key changes while it is typed; the place does not.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Group key={index} align="flex-start" wrap={small ? "nowrap" : "wrap"} gap="xs">
          <KeyInput value={key} taken={Object.keys(value)} onChange={(to) => set(withKey(value, key, to))} />
          <div style={{ flex: small ? 1 : "1 1 100%", minWidth: 0 }}>
            <FieldView
              at={entry}
              pointer={`${pointer}/${escapePointer(key)}`}
              value={one}
              onChange={(next) => set(withField(value, key, next ?? ""))}
              required
              bare
            />
          </div>
          <RemoveButton what={key} onClick={() => set(withField(value, key, undefined))} />
        </Group>
      ))}
      <Button
        variant="default"
        leftSection={<IconPlus size={14} />}
        w="fit-content"
        onClick={() => set({ ...value, [freeKey(value)]: freshValue(entry) })}
      >
        Add an entry
      </Button>
    </FieldFrame>
  );
}

interface KeyProps {
  readonly value: string;
  readonly taken: readonly string[];
  readonly onChange: (key: string) => void;
}

/** A key is taken over when it is left, so that a half-typed one never replaces another. */
function KeyInput({ value, taken, onChange }: KeyProps) {
  const [text, setText] = useState(value);
  const clash = text !== value && taken.includes(text);
  return (
    <TextInput
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => (clash || text === "" ? setText(value) : onChange(text))}
      error={clash ? "is there already" : undefined}
      aria-label={`key ${value}`}
      classNames={{ input: "mono" }}
      spellCheck={false}
      w={180}
    />
  );
}

function freeKey(value: JsonObject): string {
  let number = 1;
  while (Object.hasOwn(value, `key${number}`)) number++;
  return `key${number}`;
}
