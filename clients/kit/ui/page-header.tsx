import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { Offered } from "../offers.ts";
import { useTitle } from "./title.ts";

interface Props {
  readonly title: string;
  /** Titles that are names or ids are set in monospace. */
  readonly mono?: boolean;
  /** What this is, in one sentence. */
  readonly lead?: ReactNode;
  /** Where it belongs: links to what is above it. */
  readonly above?: ReactNode;
  /** Beside the title, such as a state. */
  readonly beside?: ReactNode;
  /** Buttons; the command palette offers them, too. */
  readonly actions?: ReactNode;
}

/** The head of every page; its title is the window's, too. */
export function PageHeader({ title, mono, lead, above, beside, actions }: Props) {
  useTitle(title);
  return (
    <Group component="header" justify="space-between" align="flex-start" gap="sm" mb="md">
      <Stack gap={2} miw={0} flex="1 1 14rem">
        {above && (
          <Text component="div" size="xs" c="dimmed">
            {above}
          </Text>
        )}
        <Group gap="sm" miw={0}>
          <Title order={1} ff={mono ? "monospace" : undefined}>
            {title}
          </Title>
          {beside}
        </Group>
        {lead && (
          <Text component="div" size="sm" c="dimmed" maw={720}>
            {lead}
          </Text>
        )}
      </Stack>
      {actions && (
        <Group gap="xs">
          <Offered value={title}>{actions}</Offered>
        </Group>
      )}
    </Group>
  );
}
