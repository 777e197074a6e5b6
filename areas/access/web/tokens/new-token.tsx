import { Autocomplete, TextInput } from "@mantine/core";
import { FormDialog, makeAndAct, NameField, useScopes, useWhoami } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { useState } from "react";
import { AllowsField } from "../allows-field.tsx";
import { type Expiry, ExpiryField, expiryOf } from "../expiry-field.tsx";
import { readSubject, refOf, type SubjectAt, subjectWord } from "../subject.ts";
import { SubjectField } from "../subject-field.tsx";

const tokens = { name: "Token", plural: "tokens" };

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onIssued: (secret: string) => void;
}

/** Makes a token and issues it at once. A token lives where its subject lives. */
export function NewToken({ scope, onClose, onIssued }: Props) {
  const { subject } = useWhoami();
  const [name, setName] = useState("");
  const [who, setWho] = useState<string | null>(subjectWord({ kind: "User", scope: "", name: subject.name }));
  const [within, setWithin] = useState("");
  const [allows, setAllows] = useState<string[]>([]);
  const [scopes, askScopes] = useScopes();
  const [description, setDescription] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90 days");
  const holder = readSubject(who ?? "");
  const made = (of: SubjectAt) => ({
    metadata: { scope: of.scope, name },
    spec: {
      subject: refOf(of),
      ...(within && { within }),
      ...(allows.length > 0 && { allows }),
      ...(description && { description }),
      ...expiryOf(expiry),
    },
  });
  return (
    <FormDialog
      title="New token"
      action="Issue it"
      held={holder === undefined}
      run={() => makeAndAct<{ secret: string }>(tokens, made(holder as SubjectAt), "issue")}
      onDone={({ secret }) => onIssued(secret)}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} example="laptop" />
      <SubjectField
        label="For"
        description="Yourself, or a service account: only a user can issue its own tokens."
        kinds={["User", "ServiceAccount"]}
        scope={scope}
        value={who}
        onChange={setWho}
      />
      <Autocomplete
        label="Within"
        description="It reaches this scope and what is below it. All that whom it is for reaches, if left empty."
        data={[...scopes]}
        value={within}
        onChange={setWithin}
        onFocus={askScopes}
        placeholder="organization/project"
        classNames={{ input: "mono" }}
        spellCheck={false}
      />
      <AllowsField
        label="Allows"
        description="Only these of their permissions. All of them, if left empty."
        placeholder={allows.length === 0 ? "workflows:trigger" : ""}
        value={allows}
        onChange={setAllows}
      />
      <ExpiryField value={expiry} onChange={setExpiry} />
      <TextInput
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
