import { Textarea } from "@mantine/core";
import { client, FormDialog, NameField, ReasonedButton, useCan, useQuery } from "@reeve/kit";
import { type Scope, showScope } from "@reeve/model";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { AllowsField } from "../allows-field.tsx";

const roles = { name: "Role", plural: "roles" };

/** The button that makes a role, and its dialog. */
export function NewRole({ scope }: { readonly scope: Scope }) {
  const [{ make }, setQuery] = useQuery();
  const can = useCan({ verb: "create", kind: "Role", scope });
  return (
    <>
      <ReasonedButton
        label="New role"
        icon={<IconPlus size={14} />}
        variant="filled"
        why={can.reason}
        onClick={() => setQuery({ make: "yes" })}
      />
      {make !== undefined && can.allowed !== false && (
        <RoleDialog scope={scope} onClose={() => setQuery({ make: undefined })} />
      )}
    </>
  );
}

function RoleDialog({ scope, onClose }: { readonly scope: Scope; readonly onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [allows, setAllows] = useState<string[]>(["*:read"]);
  const spec = { allows, ...(description && { description }) };
  return (
    <FormDialog
      title={`New role in ${showScope(scope)}`}
      size="lg"
      action="Make the role"
      run={(key) => client.kind(roles).create({ metadata: { scope, name }, spec }, key)}
      done={`The role ${name} can be given from now on.`}
      onDone={onClose}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} example="deployer" />
      <AllowsField
        label="Allows"
        description="You can give away only what you hold yourself. *:read reads everything."
        value={allows}
        onChange={setAllows}
      />
      <Textarea
        label="Description"
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        rows={3}
      />
    </FormDialog>
  );
}
