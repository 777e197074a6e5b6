import { List, Text } from "@mantine/core";
import { client, FaultView, PageLink, paths, useKinds, useReading } from "@reeve/kit";
import type { Scope } from "@reeve/model";
import type { KindRef } from "@reeve/sdk";

interface Props {
  readonly kind: KindRef;
  readonly scope: Scope;
  readonly name: string;
}

/** What refers to a resource, and where in it. */
export function Uses({ kind, scope, name }: Props) {
  const kinds = useKinds();
  const { value, fault } = useReading(`${kind.name} ${scope}/${name}`, () =>
    client.kind(kind).why(scope, name),
  );
  if (fault) return <FaultView fault={fault} />;
  if (value?.usedBy.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing refers to it.
      </Text>
    );
  return (
    <List size="sm" spacing={4}>
      {value?.usedBy.map((use) => {
        const used = kinds.find((one) => one.name === use.kind);
        return (
          <List.Item key={`${use.kind} ${use.scope} ${use.name} ${use.pointer}`}>
            {use.kind}{" "}
            {used === undefined ? (
              use.name
            ) : (
              <PageLink to={paths.resource(used, use.scope, use.name)}>{use.name}</PageLink>
            )}{" "}
            <Text span size="xs" c="dimmed" ff="monospace">
              {use.pointer}
            </Text>
          </List.Item>
        );
      })}
    </List>
  );
}
