import { Text } from "@mantine/core";
import { type Column, DataTable, paths, Section, StateBadge, Took, useHostWork } from "@reeve/kit";
import type { HeldStep } from "@reeve/sdk";
import type { HostResource } from "./agent-state.tsx";

/** The steps that a host holds now. */
export function Work({ host }: { readonly host: HostResource }) {
  const list = useHostWork(host.metadata.scope, host.metadata.name);
  return (
    <Section title="What runs there">
      <DataTable
        label="Steps on this host"
        list={list}
        columns={columns}
        rowKey={({ run, seq }) => `${run} ${seq}`}
        to={({ run, seq }) => paths.run(run, { step: seq })}
        empty={
          <Text size="sm" c="dimmed">
            Nothing, of what you may see.
          </Text>
        }
      />
    </Section>
  );
}

const columns: readonly Column<HeldStep>[] = [
  { key: "step", title: "Step", cell: ({ step }) => step, sort: ({ step }) => step },
  { key: "of", title: "Of", cell: ({ about }) => about },
  { key: "where", title: "Scope", wide: true, cell: ({ scope }) => scope || "installation" },
  { key: "state", title: "State", cell: ({ state }) => <StateBadge state={state} /> },
  {
    key: "took",
    title: "For",
    cell: ({ startedAt }) => <Took from={startedAt ?? undefined} to={undefined} />,
  },
];
