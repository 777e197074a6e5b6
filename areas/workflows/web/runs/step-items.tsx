import { Button, Group, Text } from "@mantine/core";
import { client, FaultView, RunStateBadge, useLoaded, useQuery } from "@reeve/kit";
import { type Run, type Step, type StepState, stepStates } from "@reeve/model";
import { StepTable } from "./step-table.tsx";

interface Props {
  readonly run: Run;
  readonly step: Step;
  readonly steps: readonly Step[];
  readonly onSelect: (seq: number | undefined) => void;
}

const atOnce = 200;

/**
 * The items of a fan-out: how many are in each state, and the items themselves. Of which state is in the address; those of a large one
 * are fetched when a state is chosen.
 */
export function StepItems({ run, step, steps, onSelect }: Props) {
  const [query, setQuery] = useQuery();
  const chosen = stepStates.find((state) => state === query.items);
  const followed = steps.filter(({ parent }) => parent === step.seq);
  const isLarge = followed.length === 0;
  const { value: fetched = [], fault } = useFetched(run, step, isLarge ? chosen : undefined);
  const items = isLarge ? fetched : followed.filter(({ state }) => state === (chosen ?? state));
  return (
    <div>
      <Group gap="xs" mb="xs">
        {stepStates.flatMap((state) => {
          const count = step.items?.[state] ?? 0;
          if (count === 0 && state !== chosen) return [];
          return (
            <Button
              key={state}
              size="compact-sm"
              variant={state === chosen ? "light" : "default"}
              aria-pressed={state === chosen}
              onClick={() => setQuery({ items: state === chosen ? undefined : state })}
            >
              <RunStateBadge state={state} word={`${count.toLocaleString("en")} ${state}`} />
            </Button>
          );
        })}
      </Group>
      {fault && <FaultView fault={fault} />}
      {items.length > 0 && <StepTable steps={items.map(alone)} selected={undefined} onSelect={onSelect} />}
      {fetched.length >= atOnce && (
        <Text size="xs" c="dimmed">
          The first {atOnce} of them.
        </Text>
      )}
    </div>
  );
}

function useFetched({ id }: Run, { seq }: Step, state: StepState | undefined) {
  return useLoaded<readonly Step[]>(`${id} ${seq} ${state}`, async () => {
    const found: Step[] = [];
    if (state === undefined) return found;
    for await (const item of client.runs.steps(id, { parent: seq, states: [state] }))
      if (found.push(item) >= atOnce) break;
    return found;
  });
}

/** Here they stand without the step they belong to. */
function alone({ parent: _, ...item }: Step): Step {
  return item;
}
