import { Group, Text } from "@mantine/core";
import icon from "../icon.svg";

/** `narrow` leaves the word out where there is little room. */
export function Wordmark({ narrow = false }: { readonly narrow?: boolean }) {
  return (
    <Group gap={8} wrap="nowrap">
      <img src={icon} alt="" width={22} height={22} />
      <Text fw={600} size="lg" lh={1} {...(narrow && { visibleFrom: "xs" })}>
        Reeve
      </Text>
    </Group>
  );
}
