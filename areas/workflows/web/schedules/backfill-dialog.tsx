import { Button, Checkbox, Group, List, Modal, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { client, FaultView, PageLink, paths, useAction } from "@reeve/kit";
import type { Resource } from "@reeve/model";
import type { Backfill, BackfillRequest } from "@reeve/sdk";
import { useState } from "react";
import { type Schedule, Workflow, type WorkflowSpec } from "../../kinds/index.ts";
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
  const action = useAction();
  const change = (more: Partial<BackfillRequest>) => {
    setWanted({ ...wanted, ...more });
    setPlan(undefined);
  };
  const { scope, name } = workflow.metadata;
  const ask = (dryRun: boolean) =>
    action.run(
      (options) => client.schedules.backfill({ kind: Workflow, scope, name }, { ...wanted, dryRun }, options),
      { quiet: true, onDone: (answer) => (dryRun ? setPlan(answer) : setBegun(answer)) },
    );
  const title = `Backfill ${schedule.name} of ${name}`;
  if (begun !== undefined)
    return (
      <Modal opened onClose={onClose} title={title}>
        <Begun backfill={begun} workflow={workflow} onClose={onClose} />
      </Modal>
    );
  const error = (field: string) =>
    action.fault?.errors.find(({ pointer }) => pointer === `/${field}`)?.message;
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Stack>
        <Text size="sm" c="dimmed">
          Begins a run for each tick of this time that has had none, behind what the schedule begins by
          itself.
        </Text>
        <Group grow align="flex-start">
          <Moment
            label="From"
            iso={wanted.from}
            error={error("from")}
            onChange={(from) => change({ from })}
          />
          <Moment
            label="Until before"
            iso={wanted.until}
            error={error("until")}
            onChange={(until) => change({ until })}
          />
        </Group>
        <NumberInput
          label="At most"
          description="More runs than this are refused."
          value={wanted.most}
          onChange={(most) => change({ most: Number(most) || 1 })}
          min={1}
          max={10_000}
          error={error("most")}
          maw={200}
        />
        <Checkbox
          label="The newest first"
          checked={wanted.newestFirst}
          onChange={({ currentTarget }) => change({ newestFirst: currentTarget.checked })}
        />
        <Checkbox
          label="Also ticks that have had their run"
          checked={wanted.again}
          onChange={({ currentTarget }) => change({ again: currentTarget.checked })}
        />
        {plan && <Planned plan={plan} schedule={schedule} />}
        {action.fault && action.fault.errors.length === 0 && <FaultView fault={action.fault} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          {plan === undefined ? (
            <Button loading={action.busy} onClick={() => void ask(true)}>
              Show the ticks
            </Button>
          ) : (
            <Button loading={action.busy} disabled={plan.runs.length === 0} onClick={() => void ask(false)}>
              Begin {plan.runs.length} {plan.runs.length === 1 ? "run" : "runs"}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
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

interface MomentProps {
  readonly label: string;
  readonly iso: string;
  readonly error: string | undefined;
  readonly onChange: (iso: string) => void;
}

/** A time by the clock of the person who writes it. */
function Moment({ label, iso, error, onChange }: MomentProps) {
  const time = new Date(iso);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  return (
    <TextInput
      type="datetime-local"
      label={label}
      description="By your own clock."
      value={local}
      error={error}
      onChange={({ currentTarget }) => {
        const next = new Date(currentTarget.value);
        if (!Number.isNaN(next.getTime())) onChange(next.toISOString());
      }}
    />
  );
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
