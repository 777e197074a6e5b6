import { Code, Table, Text } from "@mantine/core";
import type { InputSpec } from "../../kinds/index.ts";

/** What a run is given. */
export function InputsTable({ inputs }: { readonly inputs: Readonly<Record<string, InputSpec>> }) {
  return (
    <Table aria-label="Inputs" verticalSpacing={6} layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Type</Table.Th>
          <Table.Th>When left out</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {Object.entries(inputs).map(([name, input]) => (
          <Table.Tr key={name}>
            <Table.Td>
              <span className="mono">{name}</span>
              <Text size="xs" c="dimmed">
                {input.description}
              </Text>
            </Table.Td>
            <Table.Td>{typeText(input)}</Table.Td>
            <Table.Td>
              {input.required ? "must be given" : <Code>{JSON.stringify(input.default ?? null)}</Code>}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function typeText({ type, choices, pattern, least, most }: InputSpec): string {
  const bounds = [
    ...(choices === undefined ? [] : [choices.map((one) => JSON.stringify(one)).join(", ")]),
    ...(pattern === undefined ? [] : [`matching ${pattern}`]),
    ...(least === undefined ? [] : [`from ${least}`]),
    ...(most === undefined ? [] : [`to ${most}`]),
  ];
  return bounds.length === 0 ? type : `${type}: ${bounds.join(" ")}`;
}
