import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useAction } from "@reeve/kit";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { post } from "../sign-in/calls.ts";

interface Offer {
  readonly seed: string;
  /** SVG. */
  readonly qr: string;
}

/** Adds an authenticator app: the person proves by its first code that it has the seed. */
export function AddApp({ onAdded }: { readonly onAdded: () => Promise<void> }) {
  const [offer, setOffer] = useState<Offer>();
  const [name, setName] = useState("App");
  const [code, setCode] = useState("");
  const asking = useAction();
  const adding = useAction();
  const asked = useRef(false);
  useEffect(() => {
    if (asked.current) return;
    asked.current = true;
    void asking.run(() => post<Offer>("/factors/totp/seed"), { onDone: setOffer });
  }, [asking]);
  if (offer === undefined) return null;
  const add = (event: FormEvent) => {
    event.preventDefault();
    void adding.run(() => post("/factors/totp", { seed: offer.seed, code, name }), {
      done: `${name} is added`,
      onDone: () => void onAdded(),
    });
  };
  return (
    <form onSubmit={add}>
      <Group align="flex-start">
        {/* Parsed by the browser as an image: nothing in it can act. */}
        <img
          src={`data:image/svg+xml,${encodeURIComponent(offer.qr)}`}
          alt="QR code of the seed"
          width={176}
          height={176}
          style={{ background: "#fff", padding: 8, borderRadius: 4 }}
        />
        <Stack gap="xs" flex={1} miw={220}>
          <Text size="sm">
            Scan this with an authenticator app, or type the seed into it. Then write the code that it shows.
          </Text>
          <Code data-testid="seed">{offer.seed}</Code>
          <TextInput
            label="Name"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            required
            withAsterisk={false}
            maxLength={100}
          />
          <TextInput
            label="Code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            withAsterisk={false}
            pattern="[0-9]{6}"
            autoFocus
          />
          <Button type="submit" loading={adding.busy}>
            Add this app
          </Button>
        </Stack>
      </Group>
    </form>
  );
}
