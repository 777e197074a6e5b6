import { Group, Stack, Switch, Text } from "@mantine/core";
import {
  ActionButton,
  Age,
  type Column,
  client,
  DataTable,
  EmptyState,
  FaultView,
  tell,
  useCan,
  useLoaded,
} from "@reeve/kit";
import { type Scope, showBytes } from "@reeve/model";
import { IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { type Pruned, type StorageItem, toPrune } from "../../kinds/index.ts";

interface Props {
  readonly scope: Scope;
  readonly name: string;
}

/** The images, volumes and networks of a host, asked of its agent when the page is opened, and what can be removed of them. */
export default function HostStoragePage({ scope, name }: Props) {
  const [asked, setAsked] = useState(0);
  const [all, setAll] = useState(false);
  const { value, fault } = useLoaded(`${scope}/${name} ${asked}`, (signal) =>
    client.hostEngine.storage(scope, name, signal),
  );
  const { allowed, reason } = useCan({ verb: "update", kind: "Host", scope, name });
  if (fault !== undefined) return <FaultView fault={fault} />;
  const rows = value ?? [];
  const chosen = toPrune(rows, { all });
  const may = allowed === false ? reason : undefined;
  const prune = (items: readonly StorageItem[]) => ({
    why: may ?? (items.length === 0 ? "there is nothing to remove" : undefined),
    run: () => client.hostEngine.prune(scope, name, items),
    onDone: (done: Pruned) => {
      tell(toldOf(done));
      setAsked(asked + 1);
    },
  });
  const columns: Column<StorageItem>[] = [
    ...described,
    {
      key: "goes",
      title: "",
      align: "right",
      cell: (item) =>
        item.goes !== "no" && (
          <ActionButton
            label="Remove"
            size="xs"
            {...prune([item])}
            confirm={{ title: `Remove ${item.name}?`, danger: true, text: <Removed items={[item]} /> }}
          />
        ),
    },
  ];
  return (
    <Stack>
      <Group justify="space-between">
        <Switch
          label="Also what is no service's"
          checked={all}
          onChange={(event) => setAll(event.currentTarget.checked)}
        />
        <ActionButton
          label="Prune"
          icon={<IconTrash size={14} />}
          {...prune(chosen)}
          confirm={{
            title: `Remove ${chosen.length} of what is on ${name}?`,
            danger: true,
            text: <Removed items={chosen} />,
          }}
        />
      </Group>
      <DataTable
        label={`Images, volumes and networks on ${name}`}
        list={{ rows, state: value === undefined ? "loading" : "live" }}
        columns={columns}
        rowKey={({ kind, id }) => `${kind} ${id}`}
        empty={
          <EmptyState title="The engine of this host has nothing yet">Images come with services.</EmptyState>
        }
      />
    </Stack>
  );
}

/** What was previewed is what is removed. */
function Removed({ items }: { readonly items: readonly StorageItem[] }) {
  const bytes = items.reduce((sum, one) => sum + one.bytes, 0);
  return (
    <Stack gap="xs">
      <Text size="sm">
        Up to {showBytes(bytes)} are free then. What comes into use meanwhile is left. This cannot be taken
        back.
      </Text>
      <Stack gap={2} mah={240} style={{ overflowY: "auto" }}>
        {items.map(({ kind, id, name, bytes: own }) => (
          <Text key={`${kind} ${id}`} size="sm">
            {kind} <span className="mono">{name}</span>
            {own > 0 && `, ${showBytes(own)}`}
          </Text>
        ))}
      </Stack>
    </Stack>
  );
}

function toldOf({ removed, left }: Pruned): string {
  const kept = left.map(({ name, why }) => `${name} is left: ${why}`);
  return [`${removed.length} removed`, ...kept].join("; ");
}

const described: readonly Column<StorageItem>[] = [
  {
    key: "name",
    title: "Name",
    sort: ({ name }) => name,
    cell: ({ name }) => <span className="mono">{name.length > 60 ? `${name.slice(0, 60)}…` : name}</span>,
  },
  { key: "kind", title: "Kind", sort: ({ kind }) => kind, cell: ({ kind }) => kind },
  {
    key: "size",
    title: "Size",
    align: "right",
    sort: ({ bytes }) => bytes,
    cell: ({ kind, bytes }) =>
      kind !== "network" && <span style={{ whiteSpace: "nowrap" }}>{showBytes(bytes)}</span>,
  },
  {
    key: "age",
    title: "Made",
    wide: true,
    sort: ({ createdAt }) => createdAt,
    cell: ({ createdAt }) => createdAt !== undefined && <Age at={createdAt} />,
  },
  {
    key: "used",
    title: "Used by",
    wide: true,
    cell: ({ usedBy }) => <span className="mono">{usedBy.join(", ")}</span>,
  },
  { key: "why", title: "Why it stays or goes", wide: true, cell: ({ why }) => why },
];
