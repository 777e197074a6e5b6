import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { IconHandStop, IconPlugConnectedX, IconX } from "@tabler/icons-react";
import { StepActions } from "./step-actions.tsx";

const mostShown = 5;

/** What a person must see first: what waits for one of them, and what failed. */
export function RunAttention({ run, steps }: { readonly run: Run; readonly steps: readonly Step[] }) {
  const waiting = steps.filter(
    ({ state, reason }) => state === "waiting" && (reason === "approval" || reason === "lost"),
  );
  const failed = steps.filter(({ state, items }) => state === "failed" && items === undefined);
  if (waiting.length + failed.length === 0) return null;
  return (
    <Stack gap="xs">
      {waiting.slice(0, mostShown).map((step) => (
        <Waiting key={step.seq} run={run} step={step} />
      ))}
      {failed.slice(0, mostShown).map((step) => (
        <Failed key={step.seq} step={step} />
      ))}
      {failed.length > mostShown && (
        <Text size="sm" c="dimmed">
          {failed.length - mostShown} more steps failed.
        </Text>
      )}
    </Stack>
  );
}

function Waiting({ run, step }: { readonly run: Run; readonly step: Step }) {
  const isLost = step.reason === "lost";
  return (
    <Alert
      color="yellow"
      icon={isLost ? <IconPlugConnectedX size={18} /> : <IconHandStop size={18} />}
      title={isLost ? `${step.name} may have happened` : `${step.name} waits for an approval`}
    >
      <Text size="sm" mb="xs">
        {step.why}
      </Text>
      <StepActions run={run} step={step} />
    </Alert>
  );
}

function Failed({ step }: { readonly step: Step }) {
  const [query, setQuery] = useQuery();
  return (
    <Alert color="red" icon={<IconX size={18} />} title={`${step.name} failed`} py="xs">
      <Group gap="sm">
        <Text size="sm">{step.why}</Text>
        {query.step !== String(step.seq) && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              setQuery({ step: String(step.seq), line: undefined, tab: undefined }, { push: true })
            }
          >
            Show its log
          </Button>
        )}
      </Group>
    </Alert>
  );
}
