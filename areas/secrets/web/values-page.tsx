import { Stack } from "@mantine/core";
import { FaultView, Section, StaleNote, useResource } from "@reeve/kit";
import type { ResourceOf, Scope } from "@reeve/model";
import type { Secret } from "../kinds/index.ts";
import { Keys } from "./keys.tsx";
import { Uses } from "./uses.tsx";
import { Versions } from "./versions.tsx";

export type SecretResource = ResourceOf<typeof Secret>;

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

/** What a secret holds, without the values: keys, versions, and who cannot do without it. */
export default function ValuesPage({ scope, name }: Props) {
  const live = useResource<SecretResource>({ name: "Secret", plural: "secrets" }, scope, name);
  const { resource: secret, fault } = live;
  if (fault) return <FaultView fault={fault} />;
  if (secret === undefined) return null;
  return (
    <Stack>
      <StaleNote list={live} />
      <Keys secret={secret} />
      <Versions secret={secret} />
      <Section title="Used by" lead="What refers to it. It cannot be deleted while something does.">
        <Uses kind={{ name: "Secret", plural: "secrets" }} scope={scope} name={name} />
      </Section>
    </Stack>
  );
}
