import { Stack, Table, Text } from "@mantine/core";
import { FaultView, Section, useResource } from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import { type Connection, referencesIn } from "../kinds/index.ts";
import { Uses } from "./uses.tsx";

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

const kind = { name: "Connection", plural: "connections" };

/** Which of a connection's fields are secrets, where those live, and what uses the connection. */
export default function ConnectionPage({ scope, name }: Props) {
  const { resource, fault } = useResource<ResourceOf<typeof Connection>>(kind, scope, name);
  if (fault) return <FaultView fault={fault} />;
  if (resource === undefined) return null;
  const references = referencesIn(resource.spec as never);
  return (
    <Stack>
      <Section title="Secrets" lead="A connection holds no secret itself: it refers to one by name and key.">
        {references.length === 0 ? (
          <Text size="sm" c="dimmed">
            It needs none.
          </Text>
        ) : (
          <Table aria-label="Secrets">
            <Table.Tbody>
              {references.map(({ pointer, name: secret, key, scope: at }) => (
                <Table.Tr key={pointer}>
                  <Table.Td ff="monospace">{pointer.split("/")[2]}</Table.Td>
                  <Table.Td ff="monospace">
                    {secret}.{key}
                  </Table.Td>
                  <Table.Td c="dimmed">{at === undefined ? "the nearest of that name" : `in ${at}`}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </Section>
      <Section title="Used by" lead="What refers to it.">
        <Uses kind={kind} scope={scope} name={name} />
      </Section>
    </Stack>
  );
}
