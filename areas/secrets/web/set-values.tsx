import { Button, Modal, Stack, Switch, Text } from "@mantine/core";
import { client, FaultView, useAction } from "@reeve/kit";
import { type FormEvent, useState } from "react";
import { Secret } from "../kinds/index.ts";
import { newPair, type Pair, ValueFields } from "./value-fields.tsx";

interface Props {
  readonly scope: string;
  readonly name: string;
  /** The keys to begin with. */
  readonly keys: readonly string[];
  readonly onClose: () => void;
}

export function SetValues({ scope, name, keys, onClose }: Props) {
  const { run, busy, fault } = useAction();
  const [pairs, setPairs] = useState<readonly Pair[]>(
    keys.length === 0 ? [newPair()] : keys.map((key) => newPair(key)),
  );
  const [replace, setReplace] = useState(false);
  const set = (event: FormEvent) => {
    event.preventDefault();
    const values = Object.fromEntries(pairs.map(({ key, value }) => [key, value]));
    void run(
      (key) => client.kind(Secret).act<{ version: number }>(scope, name, "set", { values, replace }, key),
      { quiet: true, done: ({ version }) => `${name} is now at version ${version}.`, onDone: onClose },
    );
  };
  return (
    <Modal opened onClose={onClose} title={`Set values of ${name}`} size="lg">
      <form onSubmit={set} autoComplete="off">
        <Stack>
          <Text size="sm" c="dimmed">
            They become a new version. What was there before can be used again by going back to its version;
            nobody sees it here.
          </Text>
          <ValueFields pairs={pairs} onChange={setPairs} />
          <Switch
            label="Forget all keys that are not given"
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
          />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" loading={busy} style={{ alignSelf: "flex-end" }}>
            Set
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
