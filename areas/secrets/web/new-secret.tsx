import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { client, FaultView, NameField, useAction } from "@reeve/kit";
import { type Scope, showScope } from "@reeve/model";
import { type FormEvent, useState } from "react";
import { Secret } from "../kinds/index.ts";
import { newPair, type Pair, ValueFields } from "./value-fields.tsx";

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onMade: (name: string) => void;
}

export function NewSecret({ scope, onClose, onMade }: Props) {
  const { run, busy, fault } = useAction();
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [pairs, setPairs] = useState<readonly Pair[]>([newPair()]);
  const make = (event: FormEvent) => {
    event.preventDefault();
    const secrets = client.kind(Secret);
    const values = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
    void run(
      async () => {
        await secrets.create({ metadata: { scope, name }, spec: { ...(description && { description }) } });
        if (pairs.length > 0) await secrets.act(scope, name, "set", { values });
      },
      { quiet: true, done: `The secret ${name} is kept.`, onDone: () => onMade(name) },
    );
  };
  return (
    <Modal opened onClose={onClose} title={`New secret in ${showScope(scope)}`} size="lg">
      <form onSubmit={make} autoComplete="off">
        <Stack>
          <NameField value={name} onChange={setName} example="database" />
          <TextInput
            label="Description"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <ValueFields pairs={pairs} onChange={setPairs} />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" loading={busy} style={{ alignSelf: "flex-end" }}>
            Keep it
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
