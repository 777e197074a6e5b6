import { Group, Text } from "@mantine/core";
import icon from "../icon.svg";

export function Wordmark() {
  return (
    <Group gap={8} wrap="nowrap">
      <img src={icon} alt="" width={22} height={22} />
      <Text fw={600} size="lg" lh={1}>
        Reeve
      </Text>
    </Group>
  );
}
