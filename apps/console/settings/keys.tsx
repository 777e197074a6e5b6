import { Table } from "@mantine/core";
import { ActionButton, Age, client, FaultView, Section, StateBadge, useReading } from "@reeve/kit";
import type { KeyInfo } from "@reeve/sdk";

/** The keys that close what is sealed, and how to replace them. */
export function Keys() {
  const { value: keys = [], fault, again } = useReading("keys", () => client.listKeys());
  const why = fault?.kind === "forbidden" ? fault.message : undefined;
  return (
    <Section
      title="Keys"
      lead="Secrets, factors and private keys are sealed by a key for each organization; those are sealed by the root key."
      actions={
        <>
          <ActionButton
            label="Rotate scope keys"
            why={why}
            confirm={{
              title: "Replace the key of every organization?",
              text: "What they seal is sealed anew in the background. Nothing stops meanwhile.",
            }}
            run={() => client.rotateKeys("scope")}
            done="New keys are in use; what the old ones seal follows."
            onDone={again}
          />
          <ActionButton
            label="Rotate the root key"
            why={why}
            confirm={{
              title: "Replace the root key?",
              text: "Only where Reeve keeps it itself. Back up the new one as you did the old one.",
            }}
            run={() => client.rotateKeys("root")}
            done="A new root key is in use; what the old one seals follows."
            onDone={again}
          />
        </>
      }
    >
      {fault ? <FaultView fault={fault} /> : <KeyTable keys={keys} />}
    </Section>
  );
}

function KeyTable({ keys }: { readonly keys: readonly KeyInfo[] }) {
  return (
    <Table.ScrollContainer minWidth={420} type="native">
      <Table aria-label="Keys">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Key</Table.Th>
            <Table.Th>Of</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th ta="right">Seals</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map(({ id, level, organization, state, since, holds }) => (
            <Table.Tr key={id}>
              <Table.Td ff="monospace">{id.slice(0, 13)}</Table.Td>
              <Table.Td>{level === "root" ? "root" : organization || "the installation"}</Table.Td>
              <Table.Td>
                <StateBadge state={state === "current" ? "active" : "drained"} word={state} />
              </Table.Td>
              <Table.Td>
                <Age at={since} />
              </Table.Td>
              <Table.Td ta="right">{holds}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
