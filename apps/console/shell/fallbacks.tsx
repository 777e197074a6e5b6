import { Button, Center, Code, Loader, Stack, Text, Title } from "@mantine/core";
import { asFault, PageLink, paths, usePath } from "@reeve/kit";
import type { ErrorComponentProps } from "@tanstack/react-router";

export function Loading() {
  return (
    <Center mih="40vh">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}

export function NotFound() {
  const path = usePath();
  return (
    <Stack align="flex-start" gap="xs" p="lg">
      <Title order={1}>There is nothing here</Title>
      <Text>
        No page stands at <Code>{path}</Code>. It may have been deleted, or you may not see it.
      </Text>
      <Button component={PageLink} to={paths.overview()} variant="default">
        To the overview
      </Button>
    </Stack>
  );
}

/** A page that broke while it was drawn. The others still work. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const { message, next } = asFault(error);
  return (
    <Stack align="flex-start" gap="xs" p="lg" role="alert">
      <Title order={1}>This page broke</Title>
      <Text>{message}</Text>
      {next && <Text c="dimmed">{next}</Text>}
      <Button onClick={reset} variant="default">
        Try again
      </Button>
    </Stack>
  );
}
