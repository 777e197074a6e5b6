import { Alert, List, Text } from "@mantine/core";
import type { Fault } from "@reeve/model";
import { IconAlertCircle } from "@tabler/icons-react";

/** What went wrong and what to do next, as the server says it. */
export function FaultView({ fault }: { readonly fault: Fault }) {
  const requestId = "requestId" in fault ? fault.requestId : undefined;
  return (
    <Alert color="red" icon={<IconAlertCircle />} title={sentence(fault.message)} role="alert">
      {fault.errors.length > 0 && (
        <List size="sm" mb="xs">
          {fault.errors.map(({ pointer, message }) => (
            <List.Item key={pointer + message}>
              {pointer && (
                <Text span ff="monospace" size="sm">
                  {pointer}
                </Text>
              )}{" "}
              {message}
            </List.Item>
          ))}
        </List>
      )}
      {fault.next && <Text size="sm">{sentence(fault.next)}</Text>}
      {typeof requestId === "string" && (
        <Text size="xs" c="dimmed" ff="monospace" mt={4}>
          request {requestId}
        </Text>
      )}
    </Alert>
  );
}

/** Faults are written to follow a colon; on a page they stand alone. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
