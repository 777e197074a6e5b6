import { Table, Text } from "@mantine/core";
import type { Condition } from "@reeve/model";
import { Age } from "../ui/age.tsx";
import { StateBadge } from "../ui/state-badge.tsx";
import { WithAges } from "../ui/with-ages.tsx";

/** What was observed, in words. */
export function ConditionsView({ conditions }: { readonly conditions: readonly Condition[] }) {
  return (
    <Table.ScrollContainer minWidth={420} type="native">
      <Table aria-label="Conditions" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Condition</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Reason</Table.Th>
            <Table.Th>Since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {conditions.map((one) => (
            <Table.Tr key={one.type}>
              <Table.Td>{one.type}</Table.Td>
              <Table.Td>
                <StateBadge state={one.status} word={words[one.status]} />
              </Table.Td>
              <Table.Td>
                <Text size="sm">{one.reason}</Text>
                <Text size="xs" c="dimmed">
                  <WithAges text={one.message} />
                </Text>
              </Table.Td>
              <Table.Td>
                <Age at={one.since} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const words = { true: "yes", false: "no", unknown: "unknown" } as const;
