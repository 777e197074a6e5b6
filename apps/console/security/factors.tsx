import { Stack } from "@mantine/core";
import { ActionButton, Age, client, ReasonedButton, Section } from "@reeve/kit";
import { IconDeviceMobile, IconFingerprint } from "@tabler/icons-react";
import { useState } from "react";
import { hasPasskeys } from "../sign-in/passkeys.ts";
import { AddApp } from "./add-app.tsx";
import { AddPasskey } from "./add-passkey.tsx";
import { Line } from "./line.tsx";
import type { Factor } from "./security-data.ts";

interface Props {
  readonly factors: readonly Factor[];
  readonly onChanged: () => Promise<void>;
}

export function Factors({ factors, onChanged }: Props) {
  const [adding, setAdding] = useState<"app" | "passkey">();
  const added = async () => {
    setAdding(undefined);
    await onChanged();
  };
  return (
    <Section
      title="Second factors"
      lead={
        factors.length > 0
          ? "One of these is asked for after your password; a passkey also signs in alone."
          : "You sign in with your password alone. Add an app or a passkey, and nobody can do so with a stolen password."
      }
      actions={
        <>
          <ReasonedButton
            label="Add an app"
            icon={<IconDeviceMobile size={15} />}
            onClick={() => setAdding("app")}
          />
          <ReasonedButton
            label="Add a passkey"
            icon={<IconFingerprint size={15} />}
            why={hasPasskeys ? undefined : "passkeys need https, or http://localhost"}
            onClick={() => setAdding("passkey")}
          />
        </>
      }
    >
      {adding === "app" && <AddApp onAdded={added} />}
      {adding === "passkey" && <AddPasskey onAdded={added} />}
      {factors.length > 0 && (
        <Stack component="ul" gap="xs" p={0} m={0} aria-label="Second factors">
          {factors.map(({ id, kind, name, usedAt }) => (
            <Line
              key={id}
              title={name}
              detail={
                <>
                  {kind === "totp" ? "app" : "passkey"}, last used <Age at={usedAt} />
                </>
              }
              action={
                <ActionButton
                  label="Remove"
                  run={() =>
                    client.send({ method: "DELETE", path: `/api/v1/factors/${encodeURIComponent(id)}` })
                  }
                  confirm={{
                    title: `Remove ${name}?`,
                    text: "You cannot sign in with it any more. Recovery codes go with the last second factor.",
                    danger: true,
                  }}
                  done={`${name} is removed`}
                  onDone={() => void onChanged()}
                />
              }
            />
          ))}
        </Stack>
      )}
    </Section>
  );
}
