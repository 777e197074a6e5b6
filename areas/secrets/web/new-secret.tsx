import { TextInput } from "@mantine/core";
import { client, FormDialog, makeAndAct, NameField } from "@reeve/kit";
import { type Scope, showScope } from "@reeve/model";
import { useState } from "react";
import { Secret } from "../kinds/index.ts";
import { newPair, type Pair, ValueFields, valuesOf } from "./value-fields.tsx";

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onMade: (name: string) => void;
}

export function NewSecret({ scope, onClose, onMade }: Props) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [pairs, setPairs] = useState<readonly Pair[]>([newPair()]);
  const secret = { metadata: { scope, name }, spec: { ...(description && { description }) } };
  return (
    <FormDialog
      title={`New secret in ${showScope(scope)}`}
      size="lg"
      action="Keep it"
      run={async (key) => {
        if (pairs.length === 0) await client.kind(Secret).create(secret, key);
        else await makeAndAct(Secret, secret, "set", { values: valuesOf(pairs) });
      }}
      done={`The secret ${name} is kept.`}
      onDone={() => onMade(name)}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} example="database" />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <ValueFields pairs={pairs} onChange={setPairs} />
    </FormDialog>
  );
}
