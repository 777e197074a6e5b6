import { Loader, Stack, Tabs } from "@mantine/core";
import { FaultView, Later, paths, StaleNote, useGo, usePath, useQuery, useRun } from "@reeve/kit";
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
          <RunTabs run={run} steps={steps} />
        </Later>
      </Stack>
    </>
  );
}

const tabs = {
  steps: { label: "Steps", View: RunSteps },
  values: { label: "Inputs and outputs", View: RunValues },
  events: { label: "Events", View: RunEvents },
};

function RunTabs({ run, steps }: { readonly run: Run; readonly steps: readonly Step[] }) {
  const [query] = useQuery();
  const go = useGo();
  const tab = query.tab !== undefined && query.tab in tabs ? (query.tab as keyof typeof tabs) : "steps";
  const { View } = tabs[tab];
  return (
    <Tabs
      value={tab}
      onChange={(next) => go(paths.run(run.id, { tab: next === "steps" ? undefined : (next ?? undefined) }))}
      keepMounted={false}
    >
      <Tabs.List mb="sm">
        {Object.entries(tabs).map(([name, { label }]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={tab}>
        <View run={run} steps={steps} />
      </Tabs.Panel>
    </Tabs>
  );
}
