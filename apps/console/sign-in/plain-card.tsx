import { Alert, Center, Paper, Stack, Title } from "@mantine/core";
import { IconAlertCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Wordmark } from "../shell/wordmark.tsx";

interface Props {
  readonly title: string;
  readonly problem?: string | undefined;
  readonly children: ReactNode;
}

/** The frame of a page for whoever is not signed in: one thing to do. */
export function PlainCard({ title, problem, children }: Props) {
  return (
    <Center component="main" mih="100vh" p="md" bg="var(--reeve-ground)">
      <Paper withBorder p="xl" w="100%" maw={400}>
        <Stack gap="md">
          <Wordmark />
          <Title order={1}>{title}</Title>
          {problem && (
            <Alert color="red" icon={<IconAlertCircle />} role="alert">
              {problem}
            </Alert>
          )}
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
