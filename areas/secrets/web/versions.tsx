import { Table, Text } from "@mantine/core";
import { ActionButton, Age, client, Section, useWhyNot } from "@reeve/kit";
import { Secret, versionsKept } from "../kinds/index.ts";
import type { SecretResource } from "./values-page.tsx";

/** Who set which keys, and when; the way back to an earlier version. */
export function Versions({ secret }: { readonly secret: SecretResource }) {
  const { scope, name } = secret.metadata;
  const why = useWhyNot("rollback", secret);
  const { versions = [], version: newest } = secret.status;
  if (versions.length === 0) return null;
  return (
    <Section title="Versions" lead={`The newest ${versionsKept} are kept.`}>
      <Table.ScrollContainer minWidth={420} type="native">
        <Table aria-label="Versions">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Version</Table.Th>
              <Table.Th>Set</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th>Keys</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map(({ version, at, by, keys, from }) => (
              <Table.Tr key={version}>
                <Table.Td>
                  {version}
                  {from !== undefined && (
                    <Text span size="xs" c="dimmed">
                      {" "}
                      as {from}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Age at={at} />
                </Table.Td>
                <Table.Td>{by}</Table.Td>
                <Table.Td ff="monospace">{keys.join(", ")}</Table.Td>
                <Table.Td ta="right">
                  <ActionButton
                    label={`Use ${version} again`}
                    why={version === newest ? "it is the one in use" : why}
                    confirm={{
                      title: `Use the values of version ${version} again?`,
                      text: "They become a new version; what refers to the secret gets them from its next run on.",
                    }}
                    run={(key) => client.kind(Secret).act(scope, name, "rollback", { version }, key)}
                    done={`${name} has the values of version ${version} again.`}
                  />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Section>
  );
}
