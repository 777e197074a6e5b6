import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useQuery } from "../address.ts";

interface Props {
  /** `Find a service`. */
  readonly label: string;
  /** `Find by name or label`. */
  readonly placeholder: string;
}

/** Words to find rows by; they stand in the address as `q`. */
export function FindField({ label, placeholder }: Props) {
  const [{ q = "" }, patch] = useQuery();
  return (
    <TextInput
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} />}
      value={q}
      onChange={({ currentTarget }) => patch({ q: currentTarget.value || undefined })}
      flex="1 1 14rem"
      maw={360}
    />
  );
}
