import { Alert, Text } from "@mantine/core";
import {
  FaultView,
  PageHeader,
  PageLink,
  paths,
  ResourceEditor,
  tell,
  useGo,
  useQuery,
  useResource,
  useWhyNot,
} from "@reeve/kit";
import type { Resource, Scope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { Loading } from "../shell/fallbacks.tsx";
import { named } from "./words.ts";
import { useWritingAid, wayOf } from "./writing-aid.tsx";

interface Props {
  readonly kind: KindInfo;
  readonly scope: Scope;
  readonly name: string;
}

/** Changes a resource of any kind. */
export function EditResource({ kind, scope, name }: Props) {
  const { resource, fault } = useResource(kind, scope, name);
  if (resource === undefined) return fault === undefined ? <Loading /> : <FaultView fault={fault} />;
  return <Editing kind={kind} resource={resource} />;
}

function Editing({ kind, resource }: { readonly kind: KindInfo; readonly resource: Resource }) {
  // What the writing began with: what others do meanwhile must not slip into the draft.
  const [base] = useState(resource);
  const [query, setQuery] = useQuery();
  const { beside } = useWritingAid(kind);
  const go = useGo();
  const why = useWhyNot("update", resource);
  const { scope, name, generation } = resource.metadata;
  const back = () => go(paths.resource(kind, scope, name));
  return (
    <>
      <PageHeader
        title={`Edit ${name}`}
        above={
          <>
            <PageLink to={paths.list(kind, scope)}>{named(kind)}</PageLink> /{" "}
            <PageLink to={paths.resource(kind, scope, name)}>{name}</PageLink>
          </>
        }
      />
      {generation > base.metadata.generation && (
        <Alert color="yellow" mb="md" role="status" title="Somebody else has changed this since you began">
          <Text size="sm">
            It is at generation {generation} now. Go on: before anything is applied you see both, and can keep
            both.
          </Text>
        </Alert>
      )}
      <ResourceEditor
        kind={kind}
        scope={scope}
        base={base}
        as={wayOf(query, beside !== undefined)}
        onAs={(as) => setQuery({ as })}
        {...(beside && { beside })}
        why={why}
        onCancel={back}
        onDone={() => {
          tell(`${name} is changed`);
          back();
        }}
      />
    </>
  );
}
