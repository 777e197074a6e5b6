import { List, Stack, Table, Text } from "@mantine/core";
import { ActionButton, Age, client, Section, StateBadge } from "@reeve/kit";
import type { AuditProof } from "@reeve/sdk";
import { useState } from "react";

/** Proves the chains that one may read, on the server, when it is asked for: it reads everything that is kept. */
export function Verification({ organization }: { readonly organization: string | undefined }) {
  const [proven, setProven] = useState<{ proofs: readonly AuditProof[]; at: string }>();
  const findings = proven?.proofs.flatMap((proof) => proof.findings) ?? [];
  return (
    <Section
      title="Can it be believed?"
      lead={
        proven === undefined
          ? "Each organization's records are a chain whose ends are signed. Verifying makes every hash anew and compares it."
          : undefined
      }
      actions={
        <ActionButton
          label="Verify"
          run={() => client.audit.verify(organization)}
          onDone={(proofs) => setProven({ proofs, at: new Date().toISOString() })}
        />
      }
    >
      {proven && (
        <Stack gap="sm" role="status">
          <Text component="div">
            <StateBadge
              state={findings.length === 0 ? "done" : "failed"}
              word={findings.length === 0 ? "Intact" : `Broken: ${findings.length} found`}
            />{" "}
            <Text span size="sm" c="dimmed">
              verified <Age at={proven.at} />
            </Text>
          </Text>
          <Chains proofs={proven.proofs} />
          {findings.length > 0 && (
            <List size="sm">
              {findings.map(({ organization, revision, what, why }) => (
                <List.Item key={`${organization} ${revision} ${what}`}>
                  {organization || "the installation"}, revision {revision}: {what}: {why}
                </List.Item>
              ))}
            </List>
          )}
        </Stack>
      )}
    </Section>
  );
}

function Chains({ proofs }: { readonly proofs: readonly AuditProof[] }) {
  return (
    <Table.ScrollContainer minWidth={360} type="native">
      <Table aria-label="Chains">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Chain</Table.Th>
            <Table.Th ta="right">Records</Table.Th>
            <Table.Th>Since</Table.Th>
            <Table.Th ta="right">Up to</Table.Th>
            <Table.Th>Proof</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {proofs.map(({ organization, records, since, upTo, findings }) => (
            <Table.Tr key={organization}>
              <Table.Td>{organization || "the installation"}</Table.Td>
              <Table.Td ta="right">{records}</Table.Td>
              <Table.Td>
                <Age at={since ?? undefined} fallback="-" />
              </Table.Td>
              <Table.Td ta="right">{upTo}</Table.Td>
              <Table.Td>
                <StateBadge
                  state={findings.length === 0 ? "done" : "failed"}
                  word={findings.length === 0 ? "intact" : "broken"}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
