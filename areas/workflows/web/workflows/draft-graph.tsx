import { Stack, Text } from "@mantine/core";
import { StepGraph } from "@reeve/kit";
import type { JsonObject } from "@reeve/model";
import { useMemo, useRef } from "react";
import { draftSteps } from "./draft-steps.ts";

/** The graph of a text as it is being written; while the text cannot be read, that of the last one that could. */
export function DraftGraph({ value }: { readonly value: JsonObject | undefined }) {
  const last = useRef(value);
  if (value !== undefined) last.current = value;
  const shown = last.current;
  const steps = useMemo(() => draftSteps(shown), [shown]);
  return (
    <Stack gap={4} aria-label="Graph of the text">
      <div style={{ opacity: value === undefined ? 0.5 : 1 }}>
        {steps.length > 0 && <StepGraph nodes={steps} mostHeight={560} />}
      </div>
      <Text size="xs" c="dimmed" role="status">
        {noteOf(value, steps.length)}
      </Text>
    </Stack>
  );
}

function noteOf(value: JsonObject | undefined, count: number): string {
  if (value === undefined)
    return "The text cannot be read just now; this is the graph of the last one that could.";
  if (count === 0) return "The graph of its steps grows here as you write them.";
  return `${count} ${count === 1 ? "step" : "steps"}`;
}
