import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@reeve/kit";
import { type FormEvent, useState } from "react";
import { useAttempt } from "./attempt.ts";
import { type Pending, post } from "./calls.ts";
import { PlainCard } from "./plain-card.tsx";

export default function SignInPage() {
  const { problem, busy, attempt } = useAttempt();
  const [{ to }] = useQuery();
  const [user, setUser] = useState("");
  const [password, setPassword] = useState("");

  const signIn = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      await post<Pending>("/sessions", { user, password, carry: "cookie" });
      globalThis.location.assign(ownPage(to));
    });
  };

  return (
    <PlainCard title="Sign in" problem={problem}>
      <form onSubmit={signIn}>
        <Stack>
          <TextInput
            label="Name"
            value={user}
            onChange={(event) => setUser(event.currentTarget.value)}
            autoComplete="username webauthn"
            autoCapitalize="none"
            required
            withAsterisk={false}
            maxLength={63}
            data-autofocus
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
    </PlainCard>
  );
}

/** Only a page of ours: an address in a link that somebody sent must not lead elsewhere. */
function ownPage(to: string | undefined): string {
  const { origin } = globalThis.location;
  const address = to !== undefined && URL.canParse(to, origin) ? new URL(to, origin) : undefined;
  if (address === undefined || address.origin !== origin || address.pathname === "/sign-in") return "/";
  return address.pathname + address.search + address.hash;
}
