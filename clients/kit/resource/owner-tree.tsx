import { Stack, Text } from "@mantine/core";
import type { Owner, Resource } from "@reeve/model";
import type { KindInfo, Why } from "@reeve/sdk";
import { client } from "../client.ts";
import { useKinds } from "../me.ts";
import { useLoaded } from "../use-loaded.ts";
import { AddressLink } from "./address-link.tsx";
import classes from "./owner-tree.module.css";

const mostAbove = 10;

/** What it belongs to, up to the top, and what belongs to it. */
export function OwnerTree({ resource, why }: { readonly resource: Resource; readonly why: Why | undefined }) {
  const kinds = useKinds();
  const { owner, scope, name } = resource.metadata;
  const { value: above } = useLoaded(owner?.uid ?? "", () => ownersOf(owner, kinds));
  const owned = why?.owned ?? [];
  const usedBy = why?.usedBy ?? [];
  if (owner === undefined && owned.length === 0 && usedBy.length === 0)
    return (
      <Text size="sm" c="dimmed">
        It belongs to nothing, and nothing belongs to it.
      </Text>
    );
  const chain = [...(above ?? (owner ? [owner] : [])).toReversed(), { kind: resource.kind, scope, name }];
  const [top, ...rest] = chain;
  return (
    <Stack gap="xs">
      <ul className={classes.tree}>
        <Branch at={top as Owner} below={rest} owned={owned} />
      </ul>
      {usedBy.length > 0 && (
        <div>
          <Text size="xs" c="dimmed" mb={2}>
            Used by
          </Text>
          <ul className={classes.tree}>
            {usedBy.map((use) => (
              <li key={`${use.kind} ${use.scope} ${use.name} ${use.pointer}`}>
                <AddressLink at={use} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  );
}

type At = Pick<Owner, "kind" | "scope" | "name">;

function Branch({
  at,
  below,
  owned,
}: {
  readonly at: At;
  readonly below: readonly At[];
  readonly owned: readonly At[];
}) {
  const [next, ...rest] = below;
  const children = next === undefined ? owned : [];
  return (
    <li>
      <span data-self={next === undefined || undefined} className={classes.name}>
        <AddressLink at={at} />
      </span>
      {(next !== undefined || children.length > 0) && (
        <ul className={classes.tree}>
          {next !== undefined && <Branch at={next} below={rest} owned={owned} />}
          {children.map((one) => (
            <li key={`${one.kind} ${one.scope} ${one.name}`}>
              <AddressLink at={one} />
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

/** The nearest first. One that may not be read ends the way up. */
async function ownersOf(first: Owner | undefined, kinds: readonly KindInfo[]): Promise<At[]> {
  const found: At[] = [];
  let next = first;
  while (next !== undefined && found.length < mostAbove) {
    const at = next;
    found.push(at);
    const kind = kinds.find((one) => one.name === at.kind);
    next =
      kind &&
      (await client
        .kind(kind)
        .get(at.scope, at.name)
        .then(
          ({ metadata }) => metadata.owner,
          () => undefined,
        ));
  }
  return found;
}
