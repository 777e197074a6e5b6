import { Button, PasswordInput, Stack } from "@mantine/core";
import { client, FaultView, Section, useAction } from "@reeve/kit";
import { type FormEvent, useState } from "react";

const users = { name: "User", plural: "users" };

export function Password({ user }: { readonly user: string }) {
  const { fault, busy, run } = useAction();
  const [current, setCurrent] = useState("");
  const [password, setPassword] = useState("");
  const set = (event: FormEvent) => {
    event.preventDefault();
    void run(
      (key) =>
        client
          .kind(users)
          .act<{ sessionsEnded: number }>("", user, "set-password", { password, current }, key),
      {
        quiet: true,
        done: ({ sessionsEnded }) =>
          `The password is changed; ${sessionsEnded === 1 ? "one other session" : `${sessionsEnded} other sessions`} ended.`,
        onDone() {
          setCurrent("");
          setPassword("");
        },
      },
    );
  };
  return (
    <Section title="Password" lead="Your other sessions end when you change it.">
      <form onSubmit={set}>
        <Stack maw={400} gap="sm">
          <PasswordInput
            label="Current password"
            value={current}
            onChange={(event) => setCurrent(event.currentTarget.value)}
            autoComplete="current-password"
            required
            withAsterisk={false}
            maxLength={1024}
          />
          <PasswordInput
            label="New password"
            description="At least 12 characters."
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            autoComplete="new-password"
            required
            withAsterisk={false}
            minLength={12}
            maxLength={1024}
          />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" variant="default" loading={busy} style={{ alignSelf: "flex-start" }}>
            Change the password
          </Button>
        </Stack>
      </form>
    </Section>
  );
}
