import { client, FormDialog } from "@reeve/kit";
import { newUid, type Scope, showScope } from "@reeve/model";
import { useState } from "react";
import { RoleField } from "../role-field.tsx";
import { readSubject, refOf, type SubjectAt } from "../subject.ts";
import { SubjectField } from "../subject-field.tsx";

const bindings = { name: "RoleBinding", plural: "rolebindings" };

interface Props {
  readonly scope: Scope;
  /** Who, when that is known already. */
  readonly subject: string | null;
  readonly onClose: () => void;
}

export function GiveRole({ scope, subject, onClose }: Props) {
  const [who, setWho] = useState(subject);
  const [role, setRole] = useState("viewer");
  const holder = readSubject(who ?? "");
  return (
    <FormDialog
      title={`Give a role in ${showScope(scope)}`}
      action="Give the role"
      held={holder === undefined}
      run={(key) => client.kind(bindings).create(bindingOf(scope, role, holder as SubjectAt), key)}
      done={`${who} now holds ${role} in ${showScope(scope)}.`}
      onDone={onClose}
      onClose={onClose}
    >
      <SubjectField
        label="Who"
        kinds={["User", "Group", "ServiceAccount"]}
        scope={scope}
        value={who}
        onChange={setWho}
      />
      <RoleField scope={scope} value={role} onChange={setRole} />
    </FormDialog>
  );
}

function bindingOf(scope: Scope, role: string, holder: SubjectAt) {
  const name = `${holder.name.slice(0, 40)}-${role.slice(0, 14)}-${newUid().slice(-6)}`;
  return { metadata: { scope, name }, spec: { role, subject: refOf(holder) } };
}
