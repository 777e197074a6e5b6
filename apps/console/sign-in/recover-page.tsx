import { Button, Stack, Text } from "@mantine/core";
import { paths, useTitle } from "@reeve/kit";
import { type FormEvent, useState } from "react";
import { useAttempt } from "./attempt.ts";
import { post } from "./calls.ts";
import { useForgetToken, useLinkToken, wholeLink } from "./link-token.ts";
import { agreed, NewPassword, noPassword } from "./new-password.tsx";
import { PlainCard } from "./plain-card.tsx";

/** The way back for who cannot sign in any more: a link that a command on the server's machine printed. */
export default function RecoverPage() {
  useTitle("Recover");
  const token = useLinkToken();
  const { problem, busy, attempt } = useAttempt();
  const [fields, setFields] = useState(noPassword);
  const [user, setUser] = useState<string>();
  useForgetToken(user !== undefined);

  const recover = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      const body = { token, password: agreed(fields) };
      setUser((await post<{ user: string }>("/recover", body)).user);
    });
  };

  if (user !== undefined)
    return (
      <PlainCard title="Recovered">
        <Text size="sm">The password of {user} is set.</Text>
        <Button component="a" href={paths.signIn()} size="sm">
          Sign in
        </Button>
      </PlainCard>
    );
  return (
    <PlainCard title="Recover" problem={token === "" ? wholeLink : problem}>
      <Text size="sm" c="dimmed">
        Set a new password. Second factors are removed and all sessions end. This link works once.
      </Text>
      <form onSubmit={recover}>
        <Stack>
          <NewPassword value={fields} onChange={setFields} />
          <Button type="submit" size="sm" loading={busy} disabled={token === ""}>
            Set the password
          </Button>
        </Stack>
      </form>
    </PlainCard>
  );
}
