import { Checkbox, Group, NumberInput, TextInput } from "@mantine/core";
import type { FieldError } from "@reeve/model";
import type { BackfillRequest } from "@reeve/sdk";

interface Props {
  readonly wanted: Required<Omit<BackfillRequest, "dryRun">>;
  readonly onChange: (more: Partial<BackfillRequest>) => void;
  readonly errors: readonly FieldError[];
}

/** Which ticks, in which order, and how many at the most. */
export function BackfillFields({ wanted, onChange, errors }: Props) {
  const error = (field: string) => errors.find(({ pointer }) => pointer === `/${field}`)?.message;
  return (
    <>
      <Group grow align="flex-start">
        <Moment
          label="From"
          iso={wanted.from}
          error={error("from")}
          onChange={(from) => onChange({ from })}
        />
        <Moment
          label="Until before"
          iso={wanted.until}
          error={error("until")}
          onChange={(until) => onChange({ until })}
        />
      </Group>
      <NumberInput
        label="At most"
        description="More runs than this are refused."
        value={wanted.most}
        onChange={(most) => onChange({ most: Number(most) || 1 })}
        min={1}
        max={10_000}
        error={error("most")}
        maw={200}
      />
      <Checkbox
        label="The newest first"
        checked={wanted.newestFirst}
        onChange={({ currentTarget }) => onChange({ newestFirst: currentTarget.checked })}
      />
      <Checkbox
        label="Also ticks that have had their run"
        checked={wanted.again}
        onChange={({ currentTarget }) => onChange({ again: currentTarget.checked })}
      />
    </>
  );
}

interface MomentProps {
  readonly label: string;
  readonly iso: string;
  readonly error: string | undefined;
  readonly onChange: (iso: string) => void;
}

/** A time by the clock of the person who writes it. */
function Moment({ label, iso, error, onChange }: MomentProps) {
  const time = new Date(iso);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description="By your own clock."
      value={local}
      error={error}
      onChange={({ currentTarget }) => {
        const next = new Date(currentTarget.value);
        if (!Number.isNaN(next.getTime())) onChange(next.toISOString());
      }}
    />
  );
}
