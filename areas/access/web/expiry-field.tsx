import { Select } from "@mantine/core";

const days = { "1 day": 1, "7 days": 7, "30 days": 30, "90 days": 90, "1 year": 365 } as const;
const never = "until it is deleted";

export type Expiry = keyof typeof days | typeof never;

interface Props {
  readonly value: Expiry;
  readonly onChange: (value: Expiry) => void;
}

/** How long a credential works. */
export function ExpiryField({ value, onChange }: Props) {
  return (
    <Select
      label="Works for"
      data={[...Object.keys(days), never]}
      value={value}
      onChange={(chosen) => chosen !== null && onChange(chosen as Expiry)}
      allowDeselect={false}
    />
  );
}

export function expiryOf(value: Expiry): { expiresAt?: string } {
  if (value === never) return {};
  return { expiresAt: new Date(Date.now() + days[value] * 86_400_000).toISOString() };
}
