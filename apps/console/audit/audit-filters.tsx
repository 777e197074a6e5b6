import { Group, Select, TextInput } from "@mantine/core";
import { useKinds } from "@reeve/kit";
import { type Span, spanWords } from "./query.ts";

interface Props {
  readonly words: Readonly<Record<string, string>>;
  readonly onChange: (patch: Readonly<Record<string, string | undefined>>) => void;
}

const fields = [
  { key: "subject", label: "Who", placeholder: "user:ada" },
  { key: "operation", label: "Did", placeholder: "update" },
  { key: "name", label: "Named", placeholder: "shop" },
] as const;

export function AuditFilters({ words, onChange }: Props) {
  const kinds = useKinds();
  return (
    <Group gap="sm" align="flex-end">
      {fields.map(({ key, label, placeholder }) => (
        <TextInput
          key={`${key} ${words[key] ?? ""}`}
          label={label}
          placeholder={placeholder}
          defaultValue={words[key] ?? ""}
          onBlur={(event) => onChange({ [key]: event.currentTarget.value.trim() || undefined })}
          onKeyDown={(event) => {
            if (event.key === "Enter") onChange({ [key]: event.currentTarget.value.trim() || undefined });
          }}
          autoCapitalize="none"
          spellCheck={false}
          w={140}
        />
      ))}
      <Select
        label="To"
        placeholder="any kind"
        data={kinds.map(({ name }) => name).sort()}
        value={words.kind ?? null}
        onChange={(kind) => onChange({ kind: kind ?? undefined })}
        searchable
        clearable
        w={160}
      />
      <Select
        label="Outcome"
        placeholder="any"
        data={["done", "denied"]}
        value={words.outcome ?? null}
        onChange={(outcome) => onChange({ outcome: outcome ?? undefined })}
        clearable
        w={120}
      />
      <Select
        label="When"
        placeholder="all that is kept"
        data={(Object.keys(spanWords) as Span[]).map((value) => ({ value, label: spanWords[value] }))}
        value={words.span ?? null}
        onChange={(span) => onChange({ span: span ?? undefined })}
        clearable
        w={180}
      />
    </Group>
  );
}
