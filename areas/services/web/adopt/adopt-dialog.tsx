import { List, Stack, Text, TextInput } from "@mantine/core";
import { client, FaultView, FormDialog, makeAndAct, NameField, paths, useGo, useLoaded } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import { useState } from "react";
import { adoptedService, changeWords, type FoundFiles, Service } from "../../kinds/index.ts";
import { fromSecret, SecretField } from "./secret-field.tsx";

interface Props {
  readonly scope: Scope;
  readonly host: string;
  readonly project: string;
  readonly onClose: () => void;
}

/** Shows what adopting a project would change, and does it: a service is made of it, and deployed. */
export function AdoptDialog({ scope, host, project, onClose }: Props) {
  const go = useGo();
  const [name, setName] = useState(project.replaceAll("_", "-"));
  const [place, setPlace] = useState<string>(scope);
  const [secret, setSecret] = useState("");
  const { value, fault } = useLoaded(project, (signal) =>
    client.hostEngine.project(scope, host, project, signal),
  );
  return (
    <FormDialog
      title={`Adopt ${project} on ${host}?`}
      action="Adopt"
      size="lg"
      held={value === undefined || value.troubles.length > 0 || name === "" || place === ""}
      run={async () => {
        if (value === undefined) throw new Error("its files are not read yet");
        const environment = await fromSecret(place, secret, value);
        const service = adoptedService({ scope: place, name }, host, value, environment);
        return makeAndAct(Service, service as never, "deploy");
      }}
      done={`${name} is a service now, and a run takes it over`}
      onDone={() => go(paths.resource(Service, place, name))}
      onClose={onClose}
    >
      <NameField value={name} onChange={setName} example="shop" />
      <TextInput
        label="Scope"
        description="The organization, project or workspace that it belongs to."
        value={place}
        onChange={(event) => setPlace(event.currentTarget.value)}
        placeholder="acme/shop"
        autoComplete="off"
        autoCapitalize="none"
      />
      {fault !== undefined && <FaultView fault={fault} />}
      {fault === undefined && value === undefined && (
        <Text size="sm" c="dimmed">
          Reading its files, and asking Compose what it would do with them.
        </Text>
      )}
      {value !== undefined && value.variables.length > 0 && (
        <SecretField scope={place} value={secret} onChange={setSecret} />
      )}
      {value !== undefined && <Consequences found={value} />}
    </FormDialog>
  );
}

function Consequences({ found }: { readonly found: FoundFiles & { readonly troubles: readonly string[] } }) {
  const { folder, compose, changes, variables, clear, troubles } = found;
  return (
    <Stack gap="xs">
      {troubles.map((trouble) => (
        <Text key={trouble} size="sm" c="red">
          It cannot be a service as it is: {trouble}
        </Text>
      ))}
      <Text size="sm">What will happen:</Text>
      <List size="sm" spacing={4}>
        {changes.map(({ container, does }) => (
          <List.Item key={container}>
            <span className="mono">{container}</span> {changeWords[does]}.
          </List.Item>
        ))}
        <List.Item>
          <span className="mono">{compose.join(", ")}</span> in <span className="mono">{folder}</span> is
          Reeve's to write from then on; all else in the folder stays as it is.
        </List.Item>
        {variables.length > 0 && (
          <List.Item>
            The file .env ({variables.join(", ")}) stays on the host and is read there; its values are not
            recorded. To keep them in Reeve, name a Secret that has them.
          </List.Item>
        )}
        {clear.map((at) => (
          <List.Item key={at}>
            <Text span inherit c="red">
              {at} looks like a secret: everybody who may read the service will see it.
            </Text>
          </List.Item>
        ))}
      </List>
    </Stack>
  );
}
