import { Button, Group, Text } from "@mantine/core";
import { asFault, client, RunStateBadge, tellFault } from "@reeve/kit";
import { type Run, type Step, type StepState, stepStates } from "@reeve/model";
import { useState } from "react";
import { StepTable } from "./step-table.tsx";

interface Props {
  readonly run: Run;
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly onSelect: (seq: number | undefined) => void;
}

const atOnce = 200;

/** The items of a fan-out: how many are in each state, and the items themselves. Those of a large one are fetched when asked for. */
export function StepItems({ run, step, steps, onSelect }: Props) {
  const followed = steps.filter(({ parent }) => parent === step.seq);
  const [fetched, setFetched] = useState<readonly Step[]>([]);
  const items = followed.length > 0 ? followed : fetched;
  const fetchItems = async (state: StepState) => {
    const found: Step[] = [];
    for await (const item of client.runs.steps(run.id, { parent: step.seq, states: [state] }))
      if (found.push(item) >= atOnce) break;
    setFetched(found);
  };
  return (
    <div>
      <Group gap="xs" mb="xs">
        {stepStates.flatMap((state) => {
          const count = step.items?.[state] ?? 0;
          if (count === 0) return [];
          return (
            <Button
              key={state}
              size="compact-sm"
              variant="default"
              disabled={followed.length > 0}
              onClick={() => void fetchItems(state).catch((error: unknown) => tellFault(asFault(error)))}
            >
              <RunStateBadge state={state} word={`${count.toLocaleString("en")} ${state}`} />
            </Button>
          );
        })}
      </Group>
      {items.length > 0 && <StepTable steps={items.map(alone)} selected={undefined} onSelect={onSelect} />}
      {fetched.length >= atOnce && (
        <Text size="xs" c="dimmed">
          The first {atOnce} of them.
        </Text>
      )}
    </div>
  );
}

/** Here they stand without the step they belong to. */
function alone({ parent: _, ...item }: Step): Step {
  return item;
}
