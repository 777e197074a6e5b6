import { Button, Modal, Stack, TextInput } from "@mantine/core";
import { client, FaultView, useAction } from "@reeve/kit";
import { newUid, type Scope, showScope } from "@reeve/model";
import { type FormEvent, useState } from "react";
import { Invitation } from "../../kinds/index.ts";
import { RoleField } from "../role-field.tsx";

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onIssued: (link: string) => void;
}

export function Invite({ scope, onClose, onIssued }: Props) {
  const { run, busy, fault } = useAction();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("viewer");
  const invite = (event: FormEvent) => {
    event.preventDefault();
    const name = nameFor(email);
    const invitations = client.kind(Invitation);
    void run(
      async () => {
        await invitations.create({ metadata: { scope, name }, spec: { email, role } });
        return invitations.act<{ link: string }>(scope, name, "issue");
      },
      { quiet: true, onDone: ({ link }) => onIssued(link) },
    );
  };
  return (
    <Modal opened onClose={onClose} title={`Invite somebody to ${showScope(scope)}`}>
      <form onSubmit={invite}>
        <Stack>
          <TextInput
            label="E-mail"
            description="Only who has this address may accept."
            type="email"
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
            placeholder="grace@example.com"
            autoComplete="off"
            required
            withAsterisk={false}
            maxLength={254}
            data-autofocus
          />
          <RoleField scope={scope} value={role} onChange={setRole} />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" loading={busy} style={{ alignSelf: "flex-end" }}>
            Make the link
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

/** "grace-1f2e3d" of grace@example.com. */
function nameFor(email: string): string {
  const word = (email.split("@")[0] ?? "")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${word || "guest"}-${newUid().slice(-6)}`;
}
