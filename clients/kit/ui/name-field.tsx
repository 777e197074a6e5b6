import { TextInput } from "@mantine/core";

/** Where a new resource gets its name: the first field of its dialog. */
export function NameField({
  value,
  onChange,
  example,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly example: string;
}) {
  return (
    <TextInput
      label="Name"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      placeholder={example}
      autoComplete="off"
      autoCapitalize="none"
      required
      withAsterisk={false}
      maxLength={63}
    />
  );
}
