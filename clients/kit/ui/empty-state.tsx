import { Code, CopyButton, Group, Paper, Stack, Text, Title, UnstyledButton } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import type { ReactNode } from "react";

interface Props {
  readonly title: string;
  /** What this is and what it is for. */
  readonly children?: ReactNode;
  /** The command that makes the first one. */
  readonly command?: string;
  /** The button that does. */
  readonly action?: ReactNode;
}

/** Where there is nothing yet: what would be here, and how the first one is made. */
export function EmptyState({ title, children, command, action }: Props) {
  return (
    <Paper withBorder p="xl" bg="var(--reeve-ground)">
      <Stack align="flex-start" gap="sm" maw={640}>
        <Title order={2}>{title}</Title>
        {children && (
          <Text component="div" c="dimmed">
            {children}
          </Text>
        )}
        {command && <Command text={command} />}
        {action}
      </Stack>
    </Paper>
  );
}

/** A command to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <UnstyledButton onClick={copy} aria-label={copied ? "Copied" : `Copy ${text}`} maw="100%">
          <Code block style={{ whiteSpace: "pre-wrap" }}>
            <Group gap="sm" wrap="nowrap" justify="space-between">
              <span>{text}</span>
              {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
            </Group>
          </Code>
        </UnstyledButton>
      )}
    </CopyButton>
  );
}
