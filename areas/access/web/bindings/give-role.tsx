import { Button, Modal, Stack } from "@mantine/core";
import { client, FaultView, useAction } from "@reeve/kit";
import { newUid, type Scope, showScope } from "@reeve/model";
import { type FormEvent, useState } from "react";
import { RoleField } from "../role-field.tsx";
import { readSubject, refOf } from "../subject.ts";
import { SubjectField } from "../subject-field.tsx";

const bindings = { name: "RoleBinding", plural: "rolebindings" };

interface Props {
  readonly scope: Scope;
  /** Who, when that is known already. */
  readonly subject: string | null;
  readonly onClose: () => void;
}

export function GiveRole({ scope, subject, onClose }: Props) {
  const { run, busy, fault } = useAction();
  const [who, setWho] = useState(subject);
  const [role, setRole] = useState("viewer");
  const give = (event: FormEvent) => {
    event.preventDefault();
    const holder = readSubject(who ?? "");
    if (holder === undefined) return;
    const name = `${holder.name.slice(0, 40)}-${role.slice(0, 14)}-${newUid().slice(-6)}`;
    const spec = { role, subject: refOf(holder) };
    void run((key) => client.kind(bindings).create({ metadata: { scope, name }, spec }, key), {
      quiet: true,
      done: `${who} now holds ${role} in ${showScope(scope)}.`,
      onDone: onClose,
    });
  };
  return (
    <Modal opened onClose={onClose} title={`Give a role in ${showScope(scope)}`}>
      <form onSubmit={give}>
        <Stack>
          <SubjectField
            label="Who"
            kinds={["User", "Group", "ServiceAccount"]}
            scope={scope}
            value={who}
            onChange={setWho}
          />
          <RoleField scope={scope} value={role} onChange={setRole} />
          {fault && <FaultView fault={fault} />}
          <Button type="submit" loading={busy} disabled={who === null} style={{ alignSelf: "flex-end" }}>
            Give the role
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}
