import { Anchor, Button, Stack, Text } from "@mantine/core";
import { Command, client, paths, useTitle } from "@reeve/kit";
import { type FormEvent, useEffect, useState } from "react";
import { useAttempt } from "./attempt.ts";
import { post } from "./calls.ts";
import { useForgetToken, useLinkToken, wholeLink } from "./link-token.ts";
import { agreed } from "./new-password.tsx";
import { PlainCard } from "./plain-card.tsx";
import { noUser, UserFields } from "./user-fields.tsx";

interface Accepted {
  readonly user: string;
  readonly scope: string;
  readonly role: string;
}

/** Accepts an invitation: with a new user, or with the one that is signed in. */
export default function InvitationPage() {
  useTitle("Invitation");
  const token = useLinkToken();
  const { problem, busy, attempt } = useAttempt();
  const me = useMyName();
  const [fields, setFields] = useState(noUser);
  const [accepted, setAccepted] = useState<Accepted>();
  useForgetToken(accepted !== undefined);

  const accept = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      const { user, displayName } = fields;
      const made = me === null ? { user, password: agreed(fields), ...(displayName && { displayName }) } : {};
      setAccepted(await post<Accepted>("/invitations/accept", { ...made, token }));
    });
  };

  if (accepted !== undefined) return <Welcome {...accepted} />;
  if (me === undefined) return null;
  return (
    <PlainCard title="You are invited" problem={token === "" ? wholeLink : problem}>
      <Text size="sm" c="dimmed">
        This link works once, for the address it was made for.
      </Text>
      <form onSubmit={accept}>
        <Stack>
          {me === null ? (
            <UserFields value={fields} onChange={setFields} />
          ) : (
            <Text size="sm">
              You are signed in as <strong>{me}</strong>.
            </Text>
          )}
          <Button type="submit" size="sm" loading={busy} disabled={token === ""}>
            {me === null ? "Make my user" : "Accept the invitation"}
          </Button>
          {me === null && (
            <Text size="sm">
              You have a user already? <Anchor href={paths.signIn(`/invitation#${token}`)}>Sign in</Anchor>{" "}
              and come back here.
            </Text>
          )}
        </Stack>
      </form>
    </PlainCard>
  );
}

function Welcome({ user, scope, role }: Accepted) {
  return (
    <PlainCard title="Welcome">
      <Text size="sm">
        {user} now holds the role {role} in {scope || "the installation"}.
      </Text>
      <Button component="a" href="/" size="sm">
        To the console
      </Button>
      <Text size="sm" c="dimmed">
        Or in a terminal:
      </Text>
      <Command text={`npx reeve login ${globalThis.location.origin} --user ${user}`} />
    </PlainCard>
  );
}

/** Who is signed in; null for nobody, undefined until it is known. */
function useMyName(): string | null | undefined {
  const [name, setName] = useState<string | null>();
  useEffect(() => {
    client.whoami().then(
      ({ subject }) => setName(subject.name),
      () => setName(null),
    );
  }, []);
  return name;
}
