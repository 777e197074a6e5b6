import { Badge, Group, Text } from "@mantine/core";
import { Age, type Column, knownKind, StateBadge } from "@reeve/kit";
import { type Resource, showScope } from "@reeve/model";
import type { KindInfo } from "@reeve/sdk";
import type { ReactNode } from "react";

interface Wishes {
  /** Resources of several scopes are shown together. */
  readonly scoped: boolean;
  /** Also the columns that show only when asked for. */
  readonly wide: boolean;
}

/** The columns of a kind, between the name and the age that every resource has. */
export function resourceColumns(kind: KindInfo, { scoped, wide }: Wishes): readonly Column<Resource>[] {
  const own = (knownKind(kind.name)?.columns ?? []).filter((column) => wide || !column.wide);
  const onPhones = own.find(({ title }) => title === "State") ?? own[0];
  return [
    {
      key: "name",
      title: "Name",
      cell: nameCell,
      sort: ({ metadata }) => metadata.name,
    },
    ...(scoped
      ? [
          {
            key: "scope",
            title: "Scope",
            wide: true,
            cell: ({ metadata }: Resource) => <span className="mono">{showScope(metadata.scope)}</span>,
            sort: ({ metadata }: Resource) => metadata.scope,
          },
        ]
      : []),
    ...own.map(({ title, value }) => ({
      key: title.toLowerCase().replaceAll(" ", "-"),
      title,
      wide: title !== onPhones?.title,
      cell: (resource: Resource) => shown(read(value, resource), title),
      sort: (resource: Resource) => read(value, resource),
    })),
    ...(wide ? [{ key: "labels", title: "Labels", cell: labelsCell }] : []),
    {
      key: "age",
      title: "Age",
      cell: ({ metadata }) => <Age at={metadata.createdAt} />,
      sort: ({ metadata }) => metadata.createdAt,
    },
  ];
}

function nameCell({ metadata }: Resource): ReactNode {
  const name = <span className="mono">{metadata.name}</span>;
  if (metadata.deletingAt === undefined && !metadata.paused) return name;
  return (
    <Group gap="xs" wrap="nowrap">
      {name}
      {metadata.deletingAt !== undefined && <StateBadge state="deleting" />}
      {metadata.paused && <StateBadge state="paused" />}
    </Group>
  );
}

function labelsCell({ metadata }: Resource): ReactNode {
  return (
    <Group gap={4} wrap="nowrap">
      {Object.entries(metadata.labels).map(([key, value]) => (
        <Badge key={key} variant="default" tt="none" fw={400} className="mono">
          {key}={value}
        </Badge>
      ))}
    </Group>
  );
}

/** A newer server may send what these columns do not expect; one bad cell must not hide the list. */
function read(value: (resource: Resource) => string | number | undefined, resource: Resource) {
  try {
    return value(resource);
  } catch {
    return undefined;
  }
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

function shown(value: string | number | undefined, title: string): ReactNode {
  if (value === undefined || value === "")
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  if (typeof value === "string" && title === "State") return <StateBadge state={value} />;
  if (typeof value === "string" && time.test(value)) return <Age at={value} />;
  return typeof value === "number" ? value.toLocaleString() : value;
}
