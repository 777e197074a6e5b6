import { Box, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** A part of a page that stands for itself. */
export function Section({ title, lead, actions, children }: Props) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Group justify="space-between" align="flex-start" mb="sm" gap="xs">
        <Stack gap={2} flex={1} miw={200}>
          <Title order={2} id={id}>
            {title}
          </Title>
          {lead && (
            <Text component="div" size="sm" c="dimmed" maw={720}>
              {lead}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {/* What is wider than a phone scrolls by itself. */}
      <Box style={{ overflowX: "auto" }}>{children}</Box>
    </Paper>
  );
}
