import { Button, Stack, Text } from "@mantine/core";
import { Notice, useNow, useQuery } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { IconHandStop, IconHourglass, IconPlugConnectedX, IconX } from "@tabler/icons-react";
import { heldUp } from "./held-up.ts";
import { StepDecision } from "./step-actions.tsx";

const mostShown = 5;

/** What a person must see first: what waits for one of them, what failed, and why nothing goes on. */
export function RunAttention({ run, steps }: { readonly run: Run; readonly steps: readonly Step[] }) {
  const waiting = steps.filter(
    ({ state, reason }) => state === "waiting" && (reason === "approval" || reason === "lost"),
  );
  const failed = steps.filter(({ state, items }) => state === "failed" && items === undefined);
  const held = heldUp(steps, useNow());
  if (waiting.length + failed.length + held.length === 0) return null;
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
      {held.slice(0, mostShown).map((step) => (
        <HeldUp key={step.seq} step={step} />
      ))}
    </Stack>
  );
}

function Waiting({ run, step }: { readonly run: Run; readonly step: Step }) {
  const isLost = step.reason === "lost";
  return (
    <Notice
      tone="waiting"
      icon={isLost ? <IconPlugConnectedX size={18} /> : <IconHandStop size={18} />}
      title={isLost ? `${step.name} may have happened` : `${step.name} waits for an approval`}
      text={step.why}
    >
      <StepDecision run={run} step={step} />
    </Notice>
  );
}

function HeldUp({ step }: { readonly step: Step }) {
  return (
    <Notice
      tone="waiting"
      icon={<IconHourglass size={18} />}
      title={step.state === "ready" ? `${step.name} waits for an agent` : `${step.name} waits`}
      text={step.why}
    />
  );
}

function Failed({ step }: { readonly step: Step }) {
  const [query, setQuery] = useQuery();
  return (
    <Notice tone="bad" icon={<IconX size={18} />} title={`${step.name} failed`} text={step.why}>
      {query.step !== String(step.seq) && (
        <Button
          variant="default"
          onClick={() =>
            setQuery(
              { step: String(step.seq), line: undefined, find: undefined, tab: undefined },
              { push: true },
            )
          }
        >
          Show its log
        </Button>
      )}
    </Notice>
  );
}
