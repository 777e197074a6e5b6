import { Loader, Stack } from "@mantine/core";
import { FaultView, Later, type PageTab, PageTabs, StaleNote, usePath, useRun } from "@reeve/kit";
import type { Run, Step } from "@reeve/model";
import { RunAttention } from "./run-attention.tsx";
import { RunEvents } from "./run-events.tsx";
import { RunHead } from "./run-head.tsx";
import { RunSteps } from "./run-steps.tsx";
import { RunValues } from "./run-values.tsx";

/** One run, live: how it goes, why it waits, what it wrote, and what can be done about it. */
export default function RunPage() {
  const id = decodeURIComponent(usePath().split("/")[2] ?? "");
  const { run, steps, ...live } = useRun(id);
  if (live.state === "fault" && live.fault) return <FaultView fault={live.fault} />;
  if (run === undefined) return <Loader size="sm" aria-label="Loading the run" />;
  return (
    <>
      <StaleNote list={live} />
      <RunHead run={run} />
      <Stack gap="md">
        <RunAttention run={run} steps={steps} />
        <Later>
          <PageTabs tabs={tabs} of={{ run, steps }} />
        </Later>
      </Stack>
    </>
  );
}

interface Shown {
  readonly run: Run;
  readonly steps: readonly Step[];
}

const tabs: readonly [PageTab<Shown>, ...PageTab<Shown>[]] = [
  { name: "steps", label: "Steps", View: RunSteps },
  { name: "values", label: "Inputs and outputs", View: RunValues },
  { name: "events", label: "Events", View: RunEvents },
];
