import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { Command, useTitle } from "@reeve/kit";
import { type FormEvent, useState } from "react";
import { useAttempt } from "./attempt.ts";
import { post } from "./calls.ts";
import { useForgetToken, useLinkToken, wholeLink } from "./link-token.ts";
import { agreed } from "./new-password.tsx";
import { PlainCard } from "./plain-card.tsx";
import { namePattern, noUser, UserFields } from "./user-fields.tsx";

/** Makes the first administrator, once. */
export default function SetupPage() {
  useTitle("Set up");
  const token = useLinkToken();
  const { problem, busy, attempt } = useAttempt();
  const [fields, setFields] = useState(noUser);
  const [organization, setOrganization] = useState("main");
  const [made, setMade] = useState<string>();
  useForgetToken(made !== undefined);

  const setUp = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      const { user, displayName } = fields;
      const body = {
        ...{ token, user, password: agreed(fields), carry: "cookie" },
        ...(displayName && { displayName }),
        ...(organization && { organization }),
      };
      setMade((await post<{ user: string }>("/setup", body)).user);
    });
  };

  if (made !== undefined)
    return (
      <PlainCard title="Reeve is set up">
        <Text size="sm">
          <strong>{made}</strong> is the administrator of this installation, and signed in here.
        </Text>
        <Button component="a" href="/" size="sm">
          To the console
        </Button>
        <Text size="sm" c="dimmed">
          In a terminal, in the folder of your clone:
        </Text>
        <Command text={`npx reeve login ${globalThis.location.origin} --user ${made}`} />
        <Text size="sm" c="dimmed">
          <Anchor href="/docs/">The API</Anchor> is described here.
        </Text>
      </PlainCard>
    );
  return (
    <PlainCard title="Set up Reeve" problem={token === "" ? wholeLink : problem}>
      <Text size="sm" c="dimmed">
        Make the first administrator. This link works once; whoever uses it owns this installation.
      </Text>
      <form onSubmit={setUp}>
        <Stack>
          <UserFields value={fields} onChange={setFields} />
          <TextInput
            label="Organization"
            description="The first one; more can follow"
            value={organization}
            onChange={(event) => setOrganization(event.currentTarget.value)}
            maxLength={63}
            pattern={namePattern}
          />
          <Button type="submit" size="sm" loading={busy} disabled={token === ""}>
            Make the administrator
          </Button>
        </Stack>
      </form>
    </PlainCard>
  );
}
