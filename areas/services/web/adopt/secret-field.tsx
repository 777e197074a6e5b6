import { Autocomplete } from "@mantine/core";
import { client, useNames } from "@reeve/kit";
import { Fault, type Scope } from "@reeve/model";
import { nearest } from "@reeve/sdk";
import { Secret } from "@reeve/secrets/kinds";
import { type AdoptedEnvironment, environmentOf, type FoundFiles } from "../../kinds/index.ts";

interface Props {
  readonly scope: Scope;
  readonly value: string;
  readonly onChange: (name: string) => void;
}

/** A Secret to take values from, of those that stand in the file .env on the host. */
export function SecretField({ scope, value, onChange }: Props) {
  const [names, ask] = useNames(Secret.name, scope);
  return (
    <Autocomplete
      label="Secret"
      description="The names in .env that are keys of it come from there. Left out, .env is read on the host as before."
      value={value}
      onChange={onChange}
      onFocus={ask}
      data={names}
      autoCapitalize="none"
      spellCheck={false}
    />
  );
}

/** What the service takes from the Secret of this name; a name that was left out takes nothing. */
export async function fromSecret(scope: Scope, name: string, found: FoundFiles): Promise<AdoptedEnvironment> {
  if (name === "") return {};
  const { status } = await nearest(client, Secret, { scope, name });
  const environment = environmentOf(found, { name, keys: status.keys ?? [] });
  if (Object.keys(environment).length > 0) return environment;
  throw new Fault("invalid", `the Secret ${name} has no key of what is in ${found.folder}/.env`, {
    next: `on the host: reeve secret set ${name} --env-file ${found.folder}/.env`,
  });
}
