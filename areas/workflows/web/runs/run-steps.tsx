import { SegmentedControl, Stack, Text } from "@mantine/core";
import { Later, nodesOfSteps, StepGraph, TimelineView, useQuery } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { useMemo } from "react";
import { RunLog } from "./run-log.tsx";
import { StepPanel } from "./step-panel.tsx";
import { StepTable } from "./step-table.tsx";
import { useAttempts } from "./use-attempts.ts";
import { useItem } from "./use-item.ts";

interface Props {
  readonly run: Run;
  readonly steps: readonly Step[];
}

const views = ["graph", "timeline", "table"] as const;
type View = (typeof views)[number];

/** The steps as a graph, over time or as a table; below them the one that was chosen, and what it wrote. */
export function RunSteps({ run, steps }: Props) {
  const [query, setQuery] = useQuery();
  const view: View = views.find((one) => one === query.view) ?? "graph";
  const selected = query.step === undefined ? undefined : Number(query.step);
  const item = useItem(run, steps, selected);
  const step = steps.find(({ seq }) => seq === selected) ?? item;
  const choose = (seq: number | undefined) =>
    setQuery({
      step: seq === undefined ? undefined : String(seq),
      attempt: undefined,
      stream: undefined,
      line: undefined,
      find: undefined,
    });
  return (
    <Stack gap="md">
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="How the steps are shown"
        value={view}
        onChange={(next) => setQuery({ view: next === "graph" ? undefined : next })}
        data={[
          { value: "graph", label: "Graph" },
          { value: "timeline", label: "Timeline" },
          { value: "table", label: "Table" },
        ]}
      />
      {view === "graph" && (
        <RunGraphView steps={steps} selected={step?.parent ?? selected} onSelect={choose} />
      )}
      {view === "timeline" && <RunTimeline run={run} steps={steps} selected={selected} onSelect={choose} />}
      {view === "table" && <StepTable steps={steps} selected={selected} onSelect={choose} />}
      {step && <StepPanel run={run} step={step} steps={steps} onSelect={choose} />}
      {step?.items === undefined ? (
        <Later>
          <RunLog run={run} step={step} />
        </Later>
      ) : (
        <Text size="sm" c="dimmed">
          The items of {step.name} write, not the step itself: choose one to read its log.
        </Text>
      )}
    </Stack>
  );
}

interface Choosing {
  readonly steps: readonly Step[];
  readonly selected: number | undefined;
  readonly onSelect: (seq: number | undefined) => void;
}

function RunGraphView({ steps, selected, onSelect }: Choosing) {
  const nodes = useMemo(() => nodesOfSteps(steps), [steps]);
  return <StepGraph nodes={nodes} selected={selected} onSelect={onSelect} />;
}

function RunTimeline({ run, steps, selected, onSelect }: Choosing & { readonly run: Run }) {
  const attempts = useAttempts(run, steps);
  return <TimelineView steps={steps} attempts={attempts} selected={selected} onSelect={onSelect} />;
}
