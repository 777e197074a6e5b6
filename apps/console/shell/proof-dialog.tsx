import { Alert, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { client, Dialog, setProof } from "@reeve/kit";
import { CallFault } from "@reeve/sdk";
import { IconAlertCircle } from "@tabler/icons-react";
import { type FormEvent, useEffect, useState } from "react";
import { useAttempt } from "../sign-in/attempt.ts";
import { post } from "../sign-in/calls.ts";
import { askPasskey, hasPasskeys } from "../sign-in/passkeys.ts";

interface Asked {
  /** The kinds of second factors that the person has. */
  readonly factors: readonly string[];
  readonly resolve: () => void;
  readonly reject: (why: CallFault) => void;
}

/** Asks for a proof of identity where the server wants a fresh one; what was asked for is done after it. */
export function ProofDialog() {
  const [asked, setAsked] = useState<Asked>();
  useEffect(() => {
    setProof(async () => {
      const { items } = (await client.send({ path: "/api/v1/factors" })).body as {
        items: { kind: string }[];
      };
      const factors = items.map(({ kind }) => kind);
      await new Promise<void>((resolve, reject) => setAsked({ factors, resolve, reject }));
    });
  }, []);
  const cancel = () => {
    asked?.reject(new CallFault("precondition", "nothing was changed: it was not proved who you are"));
    setAsked(undefined);
  };
  const proved = () => {
    asked?.resolve();
    setAsked(undefined);
  };
  if (asked === undefined) return null;
  return (
    <Dialog title="Prove that it is you" onClose={cancel}>
      <Proof factors={asked.factors} onProved={proved} onCancel={cancel} />
    </Dialog>
  );
}

interface ProofProps {
  readonly factors: readonly string[];
  readonly onProved: () => void;
  readonly onCancel: () => void;
}

function Proof({ factors, onProved, onCancel }: ProofProps) {
  const [text, setText] = useState("");
  const { problem, busy, attempt } = useAttempt();
  const second = factors.length > 0;
  const send = async (proof: object) => {
    await post("/sessions/current/confirm", proof);
    onProved();
  };
  const byText = (event: FormEvent) => {
    event.preventDefault();
    void attempt(() => send(second ? { code: text } : { password: text }));
  };
  const byPasskey = () =>
    attempt(async () => send({ passkey: await askPasskey(await post("/sessions/current/challenge")) }));
  return (
    <form onSubmit={byText}>
      <Stack>
        <Text size="sm">What you are about to do is sensitive, and your last proof is a while ago.</Text>
        {problem && (
          <Alert color="red" icon={<IconAlertCircle />} role="alert">
            {problem}
          </Alert>
        )}
        <PasswordInput
          label={second ? "Code of your app, or a recovery code" : "Password"}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          autoComplete={second ? "one-time-code" : "current-password"}
          required
          withAsterisk={false}
          maxLength={1024}
          data-autofocus
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          {hasPasskeys && factors.includes("passkey") && (
            <Button variant="default" onClick={() => void byPasskey()} disabled={busy}>
              Use a passkey
            </Button>
          )}
          <Button type="submit" loading={busy}>
            Go on
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
