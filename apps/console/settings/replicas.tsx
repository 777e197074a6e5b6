import { Table, Text } from "@mantine/core";
import { Age, client, Section, StateBadge, useReading } from "@reeve/kit";

interface Replica {
  readonly name: string;
  readonly link: string;
  readonly seenAt?: string;
  readonly roles?: readonly string[];
}

/** The servers of this installation, as the one that answers sees them. */
export function Replicas() {
  const { value, fault } = useReading(
    "links",
    async () => (await client.debug("links")) as unknown as Replica[],
  );
  return (
    <Section title="Replicas" lead="Equal servers on one database. Any of them answers any request.">
      {fault && (
        <Text size="sm" c="dimmed">
          Not shown: {fault.message}.
        </Text>
      )}
      {value && (
        <Table aria-label="Replicas">
          <Table.Tbody>
            {value.map(({ name, link, seenAt, roles }) => (
              <Table.Tr key={name}>
                <Table.Td ff="monospace">{name}</Table.Td>
                <Table.Td>
                  <StateBadge state={link === "none" ? "unknown" : "ready"} word={link} />
                </Table.Td>
                <Table.Td>{roles?.join(", ")}</Table.Td>
                <Table.Td>{seenAt && <Age at={seenAt} />}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Section>
  );
}
