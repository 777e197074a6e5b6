import { Switch, Text } from "@mantine/core";
import { client, FormDialog } from "@reeve/kit";
import { useState } from "react";
import { Secret } from "../kinds/index.ts";
import { newPair, type Pair, ValueFields, valuesOf } from "./value-fields.tsx";

interface Props {
  readonly scope: string;
  readonly name: string;
  /** The keys to begin with. */
  readonly keys: readonly string[];
  readonly onClose: () => void;
}

export function SetValues({ scope, name, keys, onClose }: Props) {
  const [pairs, setPairs] = useState<readonly Pair[]>(
    keys.length === 0 ? [newPair()] : keys.map((key) => newPair(key)),
  );
  const [replace, setReplace] = useState(false);
  const input = { values: valuesOf(pairs), replace };
  return (
    <FormDialog
      title={`Set values of ${name}`}
      size="lg"
      action="Set"
      run={(key) => client.kind(Secret).act<{ version: number }>(scope, name, "set", input, key)}
      done={({ version }) => `${name} is now at version ${version}.`}
      onDone={onClose}
      onClose={onClose}
    >
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
    </FormDialog>
  );
}
