import { Code, Group, Stack, Text, Title } from "@mantine/core";
import {
  CodeView,
  Fact,
  inOrder,
  ResultStrip,
  resultsShown,
  StepGraph,
  schemaAt,
  useQuery,
  useResults,
} from "@reeve/kit";
import type { JsonObject } from "@reeve/model";
import { toYaml } from "@reeve/model/yaml";
import type { KindInfo } from "@reeve/sdk";
import { useMemo } from "react";
import type { WorkflowSpec } from "../../kinds/index.ts";
import { draftSteps } from "./draft-steps.ts";
import { InputsTable } from "./inputs-table.tsx";
import { NextTick } from "./next-tick.tsx";
import { WorkflowRuns } from "./runs-tab.tsx";
import type { TabProps } from "./workflow-tabs.tsx";

/** What it does and how its last runs went. */
export function OverviewTab({ kind, workflow }: TabProps) {
  const { metadata, spec } = workflow;
  const results = useResults([metadata.uid], metadata.scope).get(metadata.uid) ?? [];
  return (
    <Stack gap="lg">
      <Steps kind={kind} spec={spec} />
      <Group gap="xl" align="flex-end">
        <Fact name="Last runs">
          <ResultStrip results={results} most={resultsShown} />
        </Fact>
        <Fact name="Runs next">
          <NextTick workflow={workflow} />
        </Fact>
        {spec.timeout && <Fact name="Timeout">{spec.timeout}</Fact>}
        {spec.concurrency && <Fact name="At once">{limitText(spec.concurrency)}</Fact>}
        {spec.keep && <Fact name="Runs are kept">{keepText(spec.keep)}</Fact>}
      </Group>
      <section>
        <Title order={2} mb="xs">
          Newest runs
        </Title>
        <WorkflowRuns workflow={workflow} limit={8} />
      </section>
      {Object.keys(spec.inputs ?? {}).length > 0 && (
        <section>
          <Title order={2} mb="xs">
            Inputs
          </Title>
          <InputsTable inputs={spec.inputs ?? {}} />
        </section>
      )}
    </Stack>
  );
}

/** The graph, and what the step that was chosen says; which one is in the address. */
function Steps({ kind, spec }: Pick<TabProps, "kind"> & { readonly spec: WorkflowSpec }) {
  const [query, patch] = useQuery();
  const nodes = useMemo(() => draftSteps({ spec }), [spec]);
  const chosen = spec.steps.findIndex(({ name }) => name === query.step);
  return (
    <Stack gap="xs">
      <StepGraph
        nodes={nodes}
        selected={chosen === -1 ? undefined : chosen}
        onSelect={(id) => patch({ step: id === undefined ? undefined : spec.steps[id]?.name })}
      />
      {chosen !== -1 && (
        <section>
          <Text size="xs" c="dimmed" mb={4}>
            Step <Code>{query.step}</Code>
          </Text>
          <CodeView text={stepText(kind, spec, chosen)} label={`step ${query.step}`} maxHeight="320px" />
        </section>
      )}
    </Stack>
  );
}

/** As it stands in the workflow, its fields in the order in which people write them. */
function stepText(kind: KindInfo, spec: WorkflowSpec, at: number): string {
  return toYaml(
    (inOrder(schemaAt(kind.spec), spec as unknown as JsonObject) as unknown as WorkflowSpec).steps[at],
  );
}

const overWords = { queue: "the next waits", cancel: "the older is cancelled", skip: "the next is skipped" };

function limitText({ most, over, key }: NonNullable<WorkflowSpec["concurrency"]>): string {
  return `${most} ${key === undefined ? "" : `of ${key} `}at most, then ${overWords[over]}`;
}

function keepText({ runs, days }: NonNullable<WorkflowSpec["keep"]>): string {
  const parts = [
    ...(runs === undefined ? [] : [`the newest ${runs}`]),
    ...(days === undefined ? [] : [`for ${days} days`]),
  ];
  return parts.join(", ");
}
