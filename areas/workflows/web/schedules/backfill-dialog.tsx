import { Button, Group, List, Stack, Text } from "@mantine/core";
import { client, Dialog, FormDialog, PageLink, paths } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { Backfill, BackfillRequest } from "@reeve/sdk";
import { useState } from "react";
import { type Schedule, Workflow, type WorkflowSpec } from "../../kinds/index.ts";
import { BackfillFields } from "./backfill-fields.tsx";
import { tickText } from "./ticks.ts";

interface Props {
  readonly workflow: Resource<WorkflowSpec>;
  readonly schedule: Schedule;
  readonly onClose: () => void;
}

const dayMs = 86_400_000;
const shownTicks = 10;

/** Begins the runs of ticks in a time that is over. First it is told which, then it is done. */
export function BackfillDialog({ workflow, schedule, onClose }: Props) {
  const [wanted, setWanted] = useState(() => lastDay(schedule.name));
  /** What would be begun, of exactly this request. */
  const [plan, setPlan] = useState<Backfill>();
  const [begun, setBegun] = useState<Backfill>();
  const change = (more: Partial<BackfillRequest>) => {
    setWanted({ ...wanted, ...more });
    setPlan(undefined);
  };
  const { scope, name } = workflow.metadata;
  const title = `Backfill ${schedule.name} of ${name}`;
  if (begun !== undefined)
    return (
      <Dialog title={title} onClose={onClose}>
        <Begun backfill={begun} workflow={workflow} onClose={onClose} />
      </Dialog>
    );
  const dryRun = plan === undefined;
  const count = plan?.runs.length ?? 0;
  return (
    <FormDialog
      title={title}
      size="lg"
      action={dryRun ? "Show the ticks" : `Begin ${count} ${count === 1 ? "run" : "runs"}`}
      held={!dryRun && count === 0}
      run={(key) => client.schedules.backfill({ kind: Workflow, scope, name }, { ...wanted, dryRun }, key)}
      onDone={dryRun ? setPlan : setBegun}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm" c="dimmed">
            Begins a run for each tick of this time that has had none, behind what the schedule begins by
            itself.
          </Text>
          <BackfillFields wanted={wanted} onChange={change} errors={errors} />
          {plan && <Planned plan={plan} schedule={schedule} />}
        </>
      )}
    </FormDialog>
  );
}

function lastDay(schedule: string): Required<Omit<BackfillRequest, "dryRun">> {
  const until = Math.floor(Date.now() / 60_000) * 60_000;
  const iso = (time: number) => new Date(time).toISOString();
  return {
    schedule,
    from: iso(until - dayMs),
    until: iso(until),
    most: 1000,
    newestFirst: false,
    again: false,
  };
}

function Planned({ plan, schedule }: { readonly plan: Backfill; readonly schedule: Schedule }) {
  const count = plan.runs.length;
  return (
    <div role="status">
      <Text size="sm" fw={500}>
        {count === 0 ? "Nothing to begin" : `${count} ${count === 1 ? "tick" : "ticks"} to run`}
        {plan.known > 0 && `, ${plan.known} left out that have had their run`}
      </Text>
      <List size="sm">
        {plan.runs.slice(0, shownTicks).map(({ tick }) => (
          <List.Item key={tick}>{tickText(new Date(tick), schedule.timezone)}</List.Item>
        ))}
        {count > shownTicks && <List.Item>and {count - shownTicks} more</List.Item>}
      </List>
    </div>
  );
}

function Begun({
  backfill,
  workflow,
  onClose,
}: Pick<Props, "workflow" | "onClose"> & { readonly backfill: Backfill }) {
  const { scope, name } = workflow.metadata;
  const count = backfill.runs.length;
  return (
    <Stack>
      <Text size="sm">
        {count} {count === 1 ? "run has" : "runs have"} begun.{" "}
        <PageLink to={paths.runs({ scope, workflow: name, cause: "backfill" })}>See how they go</PageLink>
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
