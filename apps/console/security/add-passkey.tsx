import { Button, Group, TextInput } from "@mantine/core";
import { useAction } from "@reeve/kit";
import { type FormEvent, useState } from "react";
import { post } from "../sign-in/calls.ts";
import { makePasskey } from "../sign-in/passkeys.ts";

export function AddPasskey({ onAdded }: { readonly onAdded: () => Promise<void> }) {
  const [name, setName] = useState("Passkey");
  const action = useAction();
  const add = (event: FormEvent) => {
    event.preventDefault();
    const make = async () => {
      const passkey = await makePasskey(await post("/factors/passkey/challenge"));
      return post("/factors/passkey", { name, passkey });
    };
    void action.run(make, { done: `${name} is added`, onDone: () => void onAdded() });
  };
  return (
    <form onSubmit={add}>
      <Group align="flex-end">
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          withAsterisk={false}
          maxLength={100}
          autoFocus
        />
        <Button type="submit" size="sm" loading={action.busy}>
          Make the passkey
        </Button>
      </Group>
    </form>
  );
}
