import { Group, Text } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  readonly title: ReactNode;
  readonly detail: ReactNode;
  readonly action: ReactNode;
}

/** One thing of a list, with what can be done with it. */
export function Line({ title, detail, action }: Props) {
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm">
      <div>
        <Text size="sm" fw={500}>
          {title}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {detail}
        </Text>
      </div>
      {action}
    </Group>
  );
}
