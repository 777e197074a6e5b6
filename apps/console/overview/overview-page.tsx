import { Stack } from "@mantine/core";
import { PageHeader, useRuns, useScope } from "@reeve/kit";
import { AttentionList } from "./attention-list.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { RecentActivity } from "./recent-activity.tsx";
import { RunCharts } from "./run-charts.tsx";

/** What needs somebody now, what happened last, and how much there is to do. */
export default function OverviewPage() {
  const scope = useScope();
  const { state, rows } = useRuns(scope ? { scope } : {}, 1);
  const isNew = state === "live" && rows.length === 0;
  return (
    <>
      <PageHeader
        title="Overview"
        lead={scope === "" ? "Everything that you may see." : `What is in ${scope}.`}
      />
      <Stack gap="md">
        <AttentionList scope={scope} />
        {isNew ? <FirstSteps scope={scope} /> : <RunCharts scope={scope} />}
        <RecentActivity scope={scope} />
      </Stack>
    </>
  );
}
