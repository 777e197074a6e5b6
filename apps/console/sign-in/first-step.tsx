import { Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { withQuery } from "@reeve/kit";
import { IconFingerprint } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import type { Attempting } from "./attempt.ts";
import { type Pending, type Provider, post, providers } from "./calls.ts";
import { askPasskey, hasPasskeys } from "./passkeys.ts";

interface Props {
  readonly attempting: Attempting;
  readonly onDone: (answer: Pending) => void;
  /** The page to end at. */
  readonly to: string;
}

/** Who one is: by name and password, by a passkey, or by an identity provider. */
export function FirstStep({ attempting: { attempt, busy }, onDone, to }: Props) {
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");
  const offered = useProviders();
  const signIn = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => onDone(await post("/sessions", { user, password, carry: "cookie" })));
  };
  const byPasskey = () =>
    attempt(async () => {
      const passkey = await askPasskey(await post("/sessions/challenge"));
      onDone(await post("/sessions/passkey", { passkey, carry: "cookie" }));
    });
  return (
    <>
      <form onSubmit={signIn}>
        <Stack>
          <TextInput
            label="Name"
            value={user}
            onChange={(event) => setUser(event.currentTarget.value)}
            autoComplete="username webauthn"
            autoCapitalize="none"
            autoFocus
            required
            withAsterisk={false}
            maxLength={63}
          />
          <PasswordInput
            label="Password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="current-password"
            required
            withAsterisk={false}
            maxLength={1024}
          />
          <Button type="submit" size="sm" loading={busy}>
            Sign in
          </Button>
        </Stack>
      </form>
      {(hasPasskeys || offered.length > 0) && <Divider label="or" />}
      {hasPasskeys && (
        <Button
          variant="default"
          size="sm"
          disabled={busy}
          onClick={() => void byPasskey()}
          leftSection={<IconFingerprint size={16} />}
        >
          Sign in with a passkey
        </Button>
      )}
      {offered.map(({ name, displayName }) => (
        <Button
          key={name}
          component="a"
          variant="default"
          size="sm"
          href={withQuery(`/api/v1/sign-in/oidc/${encodeURIComponent(name)}`, { return: to })}
        >
          Sign in with {displayName}
        </Button>
      ))}
    </>
  );
}

/** Without them one can still sign in by name. */
function useProviders(): readonly Provider[] {
  const [offered, setOffered] = useState<readonly Provider[]>([]);
  useEffect(() => {
    providers().then(setOffered, () => undefined);
  }, []);
  return offered;
}
