import { Alert, Code, SimpleGrid, Stack, Text } from "@mantine/core";
import { ActionButton, Section } from "@reeve/kit";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { post } from "../sign-in/calls.ts";

interface Props {
  readonly left: number;
  readonly onChanged: () => Promise<void>;
}

export function RecoveryCodes({ left, onChanged }: Props) {
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <Section
      title="Recovery codes"
      lead={`Each stands in for your second factor, once. You have ${left} left.`}
      actions={
        <ActionButton
          label="Make new codes"
          run={() => post<{ codes: string[] }>("/factors/recovery-codes")}
          onDone={(made) => {
            setCodes(made.codes);
            void onChanged();
          }}
        />
      }
    >
      {codes.length > 0 && (
        <Stack gap="xs">
          <Alert icon={<IconKey />}>
            <Text size="sm">
              Print these or keep them in a password manager: they are not shown again, and older ones no
              longer work.
            </Text>
          </Alert>
          <SimpleGrid
            component="ul"
            cols={{ base: 2, sm: 3 }}
            spacing="xs"
            p={0}
            m={0}
            aria-label="Your new codes"
          >
            {codes.map((code) => (
              <li key={code} style={{ listStyle: "none" }}>
                <Code>{code}</Code>
              </li>
            ))}
          </SimpleGrid>
        </Stack>
      )}
    </Section>
  );
}
