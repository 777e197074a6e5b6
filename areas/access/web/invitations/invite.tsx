import { TextInput } from "@mantine/core";
import { FormDialog, makeAndAct } from "@reeve/kit";
import { newUid, type Scope, showScope } from "@reeve/model";
import { useState } from "react";
import { Invitation } from "../../kinds/index.ts";
import { RoleField } from "../role-field.tsx";

interface Props {
  readonly scope: Scope;
  readonly onClose: () => void;
  readonly onIssued: (link: string) => void;
}

export function Invite({ scope, onClose, onIssued }: Props) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState("viewer");
  const made = () => ({ metadata: { scope, name: nameFor(email) }, spec: { email, role } });
  return (
    <FormDialog
      title={`Invite somebody to ${showScope(scope)}`}
      action="Make the link"
      run={() => makeAndAct<{ link: string }>(Invitation, made(), "issue")}
      onDone={({ link }) => onIssued(link)}
      onClose={onClose}
    >
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
      />
      <RoleField scope={scope} value={role} onChange={setRole} />
    </FormDialog>
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
