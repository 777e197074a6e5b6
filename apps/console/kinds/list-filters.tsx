import { Autocomplete, Checkbox, Group, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { knownKind, useQuery } from "@reeve/kit";
import { Fault, parseFieldSelector, parseLabelSelector } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

const pauseMs = 250;

/** Narrows a list: by name here, by labels and fields at the server. All of it stands in the address. */
export function ListFilters({ kind }: { readonly kind: KindInfo }) {
  const [query, setQuery] = useQuery();
  const setName = useDebouncedCallback((q: string) => setQuery({ q: q || undefined }), pauseMs);
  const hasWide = (knownKind(kind.name)?.columns ?? []).some((column) => column.wide);
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        size="xs"
        aria-label="Find by name"
        placeholder="Find by name"
        leftSection={<IconSearch size={14} />}
        defaultValue={query.q}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        w={180}
      />
      <SelectorInput
        label="Labels"
        example="team=web,tier!=test"
        value={query.labels}
        read={parseLabelSelector}
        onChange={(labels) => setQuery({ labels })}
      />
      {kind.fields.length > 0 && (
        <SelectorInput
          label="Fields"
          example={`${kind.fields[0]}=…`}
          value={query.fields}
          read={(text) => parseFieldSelector(text, kind.fields)}
          onChange={(fields) => setQuery({ fields })}
          words={kind.fields.map((field) => `${field}=`)}
        />
      )}
      <Checkbox
        size="xs"
        label={hasWide ? "All columns" : "Labels"}
        checked={query.wide !== undefined}
        onChange={({ currentTarget }) => setQuery({ wide: currentTarget.checked ? "yes" : undefined })}
        mb={6}
      />
    </Group>
  );
}

interface SelectorProps {
  readonly label: string;
  readonly example: string;
  readonly value: string | undefined;
  /** Throws a fault for what it cannot read. */
  readonly read: (text: string) => unknown;
  readonly onChange: (text: string | undefined) => void;
  readonly words?: readonly string[];
}

/** Taken over with Enter or when it is left, once it can be read. */
function SelectorInput({ label, example, value, read, onChange, words = [] }: SelectorProps) {
  const [text, setText] = useState(value ?? "");
  const error = text === (value ?? "") ? undefined : trouble(read, text);
  const take = () => {
    if (error === undefined && text !== (value ?? "")) onChange(text || undefined);
  };
  return (
    <Autocomplete
      size="xs"
      aria-label={`Select by ${label.toLowerCase()}`}
      placeholder={`${label}: ${example}`}
      value={text}
      onChange={setText}
      onBlur={take}
      onKeyDown={({ key }) => key === "Enter" && take()}
      error={error}
      data={[...words]}
      classNames={{ input: "mono" }}
      spellCheck={false}
      w={240}
    />
  );
}

function trouble(read: (text: string) => unknown, text: string): string | undefined {
  try {
    read(text);
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.message : String(error);
  }
}
