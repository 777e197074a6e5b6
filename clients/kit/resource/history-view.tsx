import { Badge, Button, Group, Radio, Stack, Table, Text, Title, Tooltip } from "@mantine/core";
import type { Resource } from "@reeve/model";
import type { Generation, KindInfo } from "@reeve/sdk";
import { useState } from "react";
import { useQuery } from "../address.ts";
import { client } from "../client.ts";
import { ReasonedButton } from "../ui/action-button.tsx";
import { Age } from "../ui/age.tsx";
import { DiffView } from "../ui/diff/diff-view.tsx";
import { FaultView } from "../ui/fault-view.tsx";
import { useLoaded } from "../use-loaded.ts";
import { RollbackDialog } from "./rollback-dialog.tsx";
import { useWhyNot } from "./use-why-not.ts";
import { specText } from "./writable.ts";

interface Props {
  readonly kind: KindInfo;
  readonly resource: Resource;
}

type Spec = Resource["spec"];
const pageSize = 50;

/** Every generation of the spec, the difference of any two, and the way back to one. */
export function HistoryView({ kind, resource }: Props) {
  const { scope, name, generation } = resource.metadata;
  const [limit, setLimit] = useState(pageSize);
  const { value, fault } = useLoaded(`${generation} ${limit}`, (signal) =>
    client.kind(kind).history(scope, name, { limit, signal }),
  );
  const [query, setQuery] = useQuery();
  const [back, setBack] = useState<Generation<Spec>>();
  if (fault !== undefined) return <FaultView fault={fault} />;
  const all = value ?? [];
  const to = find(all, query.to) ?? all[0];
  const from = find(all, query.from) ?? all.find((one) => one.generation < (to?.generation ?? 0));
  return (
    <Stack>
      <Table.ScrollContainer minWidth={680} type="native">
        <Table aria-label="Generations" verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th w={64}>From</Table.Th>
              <Table.Th w={64}>To</Table.Th>
              <Table.Th>Generation</Table.Th>
              <Table.Th>Written</Table.Th>
              <Table.Th>By</Table.Th>
              <Table.Th>Why</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {all.map((one) => (
              <Row
                key={one.generation}
                one={one}
                resource={resource}
                side={{ from: from?.generation, to: to?.generation }}
                onSide={(side) => setQuery({ [side]: String(one.generation) })}
                onBack={() => setBack(one)}
              />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {all.length === limit && (
        <Button variant="default" w="fit-content" onClick={() => setLimit(limit + pageSize)}>
          Older ones
        </Button>
      )}
      {to !== undefined && (
        <section>
          <Title order={2} mb="xs">
            {from === undefined
              ? `Generation ${to.generation}`
              : `From ${from.generation} to ${to.generation}`}
          </Title>
          <DiffView
            before={from === undefined ? "" : specText(kind, from.spec)}
            after={specText(kind, to.spec)}
            label="Difference of the two generations"
          />
        </section>
      )}
      {back !== undefined && (
        <RollbackDialog kind={kind} resource={resource} to={back} onClose={() => setBack(undefined)} />
      )}
    </Stack>
  );
}

interface RowProps {
  readonly one: Generation<Spec>;
  readonly resource: Resource;
  readonly side: { readonly from: number | undefined; readonly to: number | undefined };
  readonly onSide: (side: "from" | "to") => void;
  readonly onBack: () => void;
}

function Row({ one, resource, side, onSide, onBack }: RowProps) {
  const isNow = one.generation === resource.metadata.generation;
  const why = useWhyNot("update", resource);
  return (
    <Table.Tr>
      {(["from", "to"] as const).map((which) => (
        <Table.Td key={which}>
          <Radio
            size="xs"
            name={which}
            checked={side[which] === one.generation}
            onChange={() => onSide(which)}
            aria-label={`Compare ${which} generation ${one.generation}`}
          />
        </Table.Td>
      ))}
      <Table.Td>
        <Group gap="xs" wrap="nowrap">
          {one.generation}
          {isNow && (
            <Badge size="xs" variant="light">
              now
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <Age at={one.at} />
      </Table.Td>
      <Table.Td className="mono" style={{ whiteSpace: "nowrap" }}>
        {one.author}
      </Table.Td>
      <Table.Td maw={320}>
        <Tooltip label={one.reason} disabled={!one.reason}>
          <Text size="sm" truncate>
            {one.reason}
          </Text>
        </Tooltip>
      </Table.Td>
      <Table.Td ta="right">
        {!isNow && <ReasonedButton label="Roll back" size="compact-xs" why={why} onClick={onBack} />}
      </Table.Td>
    </Table.Tr>
  );
}

function find(all: readonly Generation<Spec>[], wanted: string | undefined): Generation<Spec> | undefined {
  return all.find((one) => String(one.generation) === wanted);
}
