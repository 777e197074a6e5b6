import { Button, Stack, Text, TextInput } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { type FormEvent, useState } from "react";
import type { Attempting } from "./attempt.ts";
import { type Pending, post } from "./calls.ts";
import { askPasskey, hasPasskeys } from "./passkeys.ts";

interface Props {
  readonly attempting: Attempting;
  readonly pending: Pending;
  readonly onDone: () => void;
}

export function SecondStep({ attempting: { attempt, busy }, pending: { pending, second }, onDone }: Props) {
  const [code, setCode] = useState("");
  const finish = async (proof: object) => {
    await post("/sessions/second-step", { pending, ...proof });
    onDone();
  };
  const byCode = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => finish({ code }));
  };
  const byPasskey = () =>
    attempt(async () =>
      finish({ passkey: await askPasskey(await post("/sessions/challenge", { pending })) }),
    );
  return (
    <form onSubmit={byCode}>
      <Stack>
        <Text size="sm">One step more: prove that you hold your second factor.</Text>
        <TextInput
          label="Code"
          description="Of your app, or one of your recovery codes"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          autoCapitalize="none"
          autoFocus
          required
          withAsterisk={false}
          minLength={6}
          maxLength={40}
        />
        <Button type="submit" size="sm" loading={busy}>
          Go on
        </Button>
        {hasPasskeys && (second === undefined || second.includes("passkey")) && (
          <Button
            variant="default"
            size="sm"
            disabled={busy}
            onClick={() => void byPasskey()}
            leftSection={<IconFingerprint size={16} />}
          >
            Use a passkey
          </Button>
        )}
      </Stack>
    </form>
  );
}
