import { SimpleGrid, Stack, Text, Title } from "@mantine/core";
import type { Json, Run } from "@reeve/model";
import { Value } from "./value.tsx";

/** What went in and what came out. */
export function RunValues({ run }: { readonly run: Run }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Values title="Inputs" values={run.inputs} empty="It was begun without inputs." />
      <Values
        title="Outputs"
        values={run.outputs ?? {}}
        empty={run.endedAt ? "It has no outputs." : "Outputs are known when it has ended."}
      />
    </SimpleGrid>
  );
}

function Values({
  title,
  values,
  empty,
}: {
  title: string;
  values: Readonly<Record<string, Json>>;
  empty: string;
}) {
  const entries = Object.entries(values);
  return (
    <section aria-label={title}>
      <Title order={2} mb="xs">
        {title}
      </Title>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {empty}
        </Text>
      ) : (
        <Stack gap="xs">
          {entries.map(([name, value]) => (
            <div key={name}>
              <Text size="sm" ff="monospace" c="dimmed">
                {name}
              </Text>
              <Value value={value} label={name} />
            </div>
          ))}
        </Stack>
      )}
    </section>
  );
}
