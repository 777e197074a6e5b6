import { Stack, Table, Text } from "@mantine/core";
import type { Resource } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { IconAlertTriangle, IconInfoCircle } from "@tabler/icons-react";
import { client } from "../client.ts";
import { Age } from "../ui/age.tsx";
import { FaultView } from "../ui/fault-view.tsx";
import { WithAges } from "../ui/with-ages.tsx";
import { useLoaded } from "../use-loaded.ts";

/** What happened to it, newest first; looked up again whenever it changes. */
export function EventsView({ kind, resource }: { readonly kind: KindInfo; readonly resource: Resource }) {
  const { scope, name, revision } = resource.metadata;
  const { value, fault } = useLoaded(String(revision), (signal) =>
    client.kind(kind).events(scope, name, { signal }),
  );
  if (fault !== undefined) return <FaultView fault={fault} />;
  if (value?.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing has happened to it that is still remembered. What people do is in the audit log.
      </Text>
    );
  return (
    <Table.ScrollContainer minWidth={420} type="native">
      <Table aria-label="Events" verticalSpacing={6}>
        <Table.Tbody>
          {(value ?? []).map(({ at, firstAt, count, tone, reason, message }) => (
            <Table.Tr key={`${firstAt} ${reason} ${message}`}>
              <Table.Td w={1}>
                {tone === "warning" ? (
                  <IconAlertTriangle size={16} color="var(--mantine-color-orange-7)" aria-label="Warning" />
                ) : (
                  <IconInfoCircle size={16} color="var(--mantine-color-dimmed)" aria-label="Normal" />
                )}
              </Table.Td>
              <Table.Td w={110}>
                <Age at={at} />
              </Table.Td>
              <Table.Td>
                <Stack gap={0}>
                  <Text size="sm" fw={500}>
                    {reason}
                    {count > 1 && (
                      <Text span size="xs" c="dimmed">
                        {` ${count} times since `}
                        <Age at={firstAt} />
                      </Text>
                    )}
                  </Text>
                  <Text size="sm">
                    <WithAges text={message} />
                  </Text>
                </Stack>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
