import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { client, FaultView, NameField, useAction, useWhoami } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { type FormEvent, useState } from "react";
import { type Expiry, ExpiryField, expiryOf } from "../expiry-field.tsx";
import { readSubject, refOf, subjectWord } from "../subject.ts";
import { SubjectField } from "../subject-field.tsx";

const tokens = { name: "Token", plural: "tokens" };

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onIssued: (secret: string) => void;
}

/** Makes a token and issues it at once. A token lives where its subject lives. */
export function NewToken({ scope, onClose, onIssued }: Props) {
  const { run, busy, fault } = useAction();
  const { subject } = useWhoami();
  const [name, setName] = useState("");
  const [who, setWho] = useState<string | null>(subjectWord({ kind: "User", scope: "", name: subject.name }));
  const [description, setDescription] = useState("");
  const [expiry, setExpiry] = useState<Expiry>("90 days");
  const make = (event: FormEvent) => {
    event.preventDefault();
    const holder = readSubject(who ?? "");
    if (holder === undefined) return;
    const at = holder.scope;
    const spec = { subject: refOf(holder), ...(description && { description }), ...expiryOf(expiry) };
    const made = client.kind(tokens);
    void run(
      async () => {
        await made.create({ metadata: { scope: at, name }, spec });
        try {
          return await made.act<{ secret: string }>(at, name, "issue");
        } catch (error) {
          // A token without a secret is of no use to anyone, and would take the name.
          await made.delete(at, name).catch(() => undefined);
          throw error;
        }
      },
      { quiet: true, onDone: ({ secret }) => onIssued(secret) },
    );
  };
  return (
    <Modal opened onClose={onClose} title="New token">
      <form onSubmit={make}>
        <Stack>
          <NameField value={name} onChange={setName} example="laptop" />
          <SubjectField
            label="For"
            description="Yourself, or a service account: only a user can issue its own tokens."
            kinds={["User", "ServiceAccount"]}
            scope={scope}
            value={who}
            onChange={setWho}
          />
          <ExpiryField value={expiry} onChange={setExpiry} />
          <TextInput
            label="Description"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" loading={busy} style={{ alignSelf: "flex-end" }}>
            Issue it
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
