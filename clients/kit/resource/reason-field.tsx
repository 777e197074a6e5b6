import { TextInput } from "@mantine/core";

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Why somebody writes a new generation. */
export function ReasonField({ value, onChange }: Props) {
  return (
    <TextInput
      label="Why"
      description="Kept with this generation and in the audit log."
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      maxLength={500}
    />
  );
}
