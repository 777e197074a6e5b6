import { Table, Text } from "@mantine/core";
import { ActionButton, client, ReasonedButton, Section, StateBadge, useWhyNot } from "@reeve/kit";
import { useState } from "react";
import { missingKeys, Secret } from "../kinds/index.ts";
import { Revealed } from "./revealed.tsx";
import { SetValues } from "./set-values.tsx";
import type { SecretResource } from "./values-page.tsx";

/** The keys of the newest version, and what can be done with them. */
export function Keys({ secret }: { readonly secret: SecretResource }) {
  const { scope, name } = secret.metadata;
  const [setting, setSetting] = useState<readonly string[]>();
  const [values, setValues] = useState<Readonly<Record<string, string>>>();
  const setWhy = useWhyNot("set", secret);
  const revealWhy = useWhyNot("reveal", secret);
  const missing = missingKeys(secret);
  const keys = secret.status.keys ?? [];
  return (
    <Section
      title="Keys"
      lead="Values are never shown. Whoever may reveal them proves anew who they are, and the audit tells of it."
      actions={
        <>
          <ReasonedButton label="Set values" why={setWhy} onClick={() => setSetting(missing)} />
          <ActionButton
            label="Reveal"
            why={revealWhy}
            confirm={{
              title: `Reveal the values of ${name}?`,
              text: "They are shown on this screen until you close them. It is recorded in the audit, with your name.",
              danger: true,
            }}
            run={(key) =>
              client.kind(Secret).act<{ values: Record<string, string> }>(scope, name, "reveal", {}, key)
            }
            onDone={({ values }) => setValues(values)}
          />
        </>
      }
    >
      {keys.length + missing.length === 0 ? (
        <Text size="sm" c="dimmed">
          No values were set yet.
        </Text>
      ) : (
        <Table aria-label="Keys">
          <Table.Tbody>
            {[...keys, ...missing].map((key) => (
              <Table.Tr key={key}>
                <Table.Td>
                  <span className="mono">{key}</span>
                  <Text size="xs" c="dimmed">
                    {secret.spec.keys?.[key]?.description}
                  </Text>
                </Table.Td>
                <Table.Td>
                  {keys.includes(key) ? (
                    <StateBadge state="ready" word="set" />
                  ) : (
                    <StateBadge state="missing" />
                  )}
                </Table.Td>
                <Table.Td ta="right">
                  <ReasonedButton label={`Set ${key}`} why={setWhy} onClick={() => setSetting([key])} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {setting && (
        <SetValues scope={scope} name={name} keys={setting} onClose={() => setSetting(undefined)} />
      )}
      {values && <Revealed values={values} onClose={() => setValues(undefined)} />}
    </Section>
  );
}
